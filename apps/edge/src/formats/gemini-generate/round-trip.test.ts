// Encoding then decoding returns the same value, and a stream decodes the same wherever it is cut.
import { emptyUsage } from '@tollgate/contracts';
import fc from 'fast-check';

import { geminiGenerate, geminiGenerateArray } from '.';
import { foldStream } from '../fold';
import type { Format, ReplyContext } from '../format';
import { present } from '../json';
import type {
  ContentBlock,
  NormalisedChoice,
  NormalisedMessage,
  NormalisedRequest,
  NormalisedResponse,
  StreamEvent,
} from '../normalised';
import { anyText, cutBytes, streamOf } from '../test-support/arbitraries';

const format = geminiGenerate;
const formats = [geminiGenerate, geminiGenerateArray];
const context: ReplyContext = {
  requestId: 'r',
  provider: 'provider_c',
  model: 'm',
  createdAtS: 1,
  includeUsage: true,
};

const name = fc.stringMatching(/^[a-z_]{1,12}$/);
const seal = fc.base64String({ minLength: 4 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const text = anyText.map((said): ContentBlock => ({ type: 'text', text: said }));
const image = fc
  .oneof(
    fc.constant('https://example.com/a.png'),
    fc.base64String({ minLength: 4 }).map((data) => `data:image/png;base64,${data}`),
  )
  .map((url): ContentBlock => ({ type: 'image', url }));
const audio = fc
  .record({
    data: fc.base64String({ minLength: 4 }),
    format: fc.constantFrom('wav', 'mp3', 'pcm16'),
  })
  .map((fields): ContentBlock => ({ type: 'audio', ...fields }));
const file = fc.base64String({ minLength: 4 }).map((data): ContentBlock => ({
  type: 'file',
  data: `data:application/pdf;base64,${data}`,
}));
const anyObject = fc.dictionary(name, fc.oneof(anyText, fc.integer(), fc.boolean()), {
  maxKeys: 3,
});
const call = fc.record({ id: name, name, input: anyObject }).map(({ id, name, input }) => ({
  type: 'tool_call' as const,
  id,
  kind: 'function' as const,
  name,
  arguments: JSON.stringify(input),
}));
const SEALER = 'gemini-generate';
const thought = fc
  .record({ text: anyText, signature: maybe(seal) })
  .map(({ text, signature }): ContentBlock => ({
    type: 'thinking',
    text,
    ...(signature === undefined ? {} : { signature, sealedBy: SEALER }),
  }));

/** A format that joins adjacent pieces sees them as one. */
function apart(blocks: ContentBlock[]): ContentBlock[] {
  return blocks.filter((block, at) => {
    const before = blocks[at - 1]?.type;
    return block.type !== before || (before !== 'text' && before !== 'thinking');
  });
}

/**
 * A turn in the form of the vendor's models: thoughts, text, and calls of which the first is
 * sealed.
 */
const modelTurn = fc
  .record({
    thought: maybe(anyText.map((said): ContentBlock => ({ type: 'thinking', text: said }))),
    text: maybe(text),
    callSeal: maybe(seal),
    calls: fc.array(call, { maxLength: 3 }),
  })
  .map(({ thought, text, callSeal, calls }): ContentBlock[] => {
    const sealed = callSeal !== undefined && (text !== undefined || thought === undefined);
    const mark: ContentBlock[] =
      sealed && calls.length > 0
        ? [{ type: 'thinking', text: '', signature: callSeal, sealedBy: SEALER }]
        : [];
    const said = [thought, text].filter((block) => block !== undefined);
    return said.length + calls.length === 0
      ? [{ type: 'text', text: 'x' }]
      : [...said, ...mark, ...calls];
  });

const messages: fc.Arbitrary<NormalisedMessage[]> = fc
  .record({
    system: maybe(fc.array(text, { minLength: 1, maxLength: 2 })),
    turns: fc.array(
      fc.record({
        asked: fc.array(fc.oneof(text, image, audio, file), { minLength: 1, maxLength: 3 }),
        answered: modelTurn,
        outcome: fc.record({ said: anyText, failed: fc.boolean() }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  })
  .map(({ system, turns }) => {
    const said = turns.flatMap(({ asked, answered, outcome }, turn): NormalisedMessage[] => {
      const failed = outcome.failed ? { isError: true } : {};
      // Ids tell calls apart, so each call gets its own.
      const numbered = answered.map((block, at) =>
        block.type === 'tool_call' ? { ...block, id: `${block.id}_${turn}_${at}` } : block,
      );
      const results = numbered.flatMap((block): ContentBlock[] => {
        if (block.type !== 'tool_call') return [];
        const content: ContentBlock[] = [{ type: 'text', text: outcome.said }];
        return [{ type: 'tool_result', toolCallId: block.id, content, ...failed }];
      });
      return [
        { role: 'user', content: asked },
        { role: 'assistant', content: numbered },
        ...(results.length > 0 ? [{ role: 'tool' as const, content: results }] : []),
      ];
    });
    const numbered = said.map((message, at) => ({ ...message, path: `contents[${at}]` }));
    const prompt = system && {
      role: 'system' as const,
      path: 'systemInstruction',
      content: system,
    };
    return prompt ? [prompt, ...numbered] : numbered;
  });

// JSON has no negative zero.
const number = (min: number, max: number) =>
  fc.double({ min, max, noNaN: true }).map((value) => value + 0);
const reference = name.map((called) => ({ kind: 'function' as const, name: called }));

/** Schemas that the vendor accepts unchanged. */
const anySchema = fc
  .record({ description: maybe(anyText), properties: fc.dictionary(name, fc.constant({})) })
  .map(({ properties, ...fields }) => ({ type: 'object', properties, ...present(fields) }));

const request: fc.Arbitrary<NormalisedRequest> = fc
  .record({
    messages,
    tools: fc.array(
      fc.record({ name, description: maybe(anyText), parameters: maybe(anySchema) }),
      { minLength: 1, maxLength: 3 },
    ),
    mode: maybe(fc.constantFrom('auto' as const, 'none' as const, 'required' as const)),
    responseFormat: maybe(
      fc.oneof(
        fc.record({ type: fc.constantFrom('text' as const, 'json_object' as const) }),
        anySchema.map((schema) => ({ type: 'json_schema' as const, name: 'answer', schema })),
      ),
    ),
    sampling: fc
      .record({
        temperature: maybe(number(0, 2)),
        topP: maybe(number(0, 1)),
        topK: maybe(fc.nat(100)),
        stop: maybe(fc.array(anyText, { minLength: 1, maxLength: 4 })),
        presencePenalty: maybe(number(-2, 2)),
        frequencyPenalty: maybe(number(-2, 2)),
        seed: maybe(fc.integer()),
      })
      .map(present),
    reasoningEffort: maybe(fc.constantFrom('minimal', 'low', 'medium', 'high')),
    maxOutputTokens: maybe(fc.integer({ min: 1, max: 100_000 })),
    n: fc.integer({ min: 1, max: 8 }),
    metadata: maybe(fc.constantFrom({ team: 'a' }, { a_b: '1', c: '' })),
    serviceTier: maybe(fc.constantFrom('default', 'flex', 'priority')),
    modalities: maybe(fc.constant<string[]>(['text', 'image'])),
    audioOutput: maybe(fc.constant({ voice: 'Kore', format: 'pcm16' })),
    stream: fc.boolean(),
  })
  .map(({ messages, tools, mode, sampling, n, stream, ...optional }) => ({
    format: 'unified' as const,
    model: 'gemini-3-flash',
    messages,
    tools: tools.map((tool) => ({ kind: 'function' as const, name: tool.name, ...present(tool) })),
    sampling,
    n,
    stream,
    includeUsage: true,
    ...present(optional),
    ...(mode === undefined ? {} : { toolChoice: { mode } }),
    extras: {},
    raw: {},
  }));

test('a request survives encoding and decoding', () => {
  fc.assert(
    fc.property(request, (original) => {
      const { body, dropped } = format.encodeRequest(original, {
        providerType: 'PROVIDER_C',
        // Models of this generation need no marker for unsealed calls.
        model: 'gemini-2.5-flash',
        strict: true,
      });
      expect(dropped).toEqual([]);
      const sent = JSON.parse(JSON.stringify(body)) as Record<string, unknown>;
      const read = format.decodeRequest(sent, { model: original.model, stream: original.stream });
      const { format: _, raw: __, paths: ___, ...meaning } = read;
      const { format: ____, raw: _____, reasoningEffort, ...wanted } = original;
      // For this generation an effort becomes a budget in tokens.
      const { reasoningBudget, extras, ...rest } = meaning;
      expect({ ...rest, extras: {} }).toEqual(wanted);
      expect(reasoningBudget !== undefined).toBe(reasoningEffort !== undefined);
      expect(Object.keys(extras)).toEqual(reasoningBudget ? [reasoningBudget.path] : []);
    }),
    { numRuns: 300 },
  );
});

test('a choice of tools survives', () => {
  const choice = fc.oneof(
    reference.map((tool) => ({ mode: 'tool' as const, tool })),
    fc
      .record({
        require: fc.boolean(),
        tools: fc.uniqueArray(reference, {
          minLength: 2,
          maxLength: 3,
          selector: (tool) => tool.name,
        }),
      })
      .map((fields) => ({ mode: 'allowed' as const, ...fields })),
  );
  fc.assert(
    fc.property(choice, request, (toolChoice, original) => {
      const asked = toolChoice.mode === 'tool' ? [toolChoice.tool] : toolChoice.tools;
      const { body } = format.encodeRequest(
        { ...original, tools: asked, toolChoice },
        { providerType: 'PROVIDER_C', model: 'gemini-3-flash', strict: true },
      );
      expect(format.decodeRequest(body, { model: 'm' }).toolChoice).toEqual(toolChoice);
    }),
  );
});

const tokens = fc.nat(100_000);
const usage = fc
  .record({
    input: tokens,
    cacheRead: tokens,
    audioInput: tokens,
    imageInput: tokens,
    output: tokens,
    audioOutput: tokens,
    imageOutput: tokens,
  })
  .map((counts) => ({
    tokens: { ...emptyUsage(), ...counts, reasoning: Math.floor(counts.output / 2) },
    inputTokens: counts.input + counts.cacheRead + counts.audioInput + counts.imageInput,
    outputTokens: counts.output + counts.audioOutput + counts.imageOutput,
  }));
const citation = fc
  .nat(3)
  .map((index) => ({ url: `https://example.com/${index}`, title: `T${index}` }));
const content = fc
  .record({
    before: fc.array(fc.oneof(thought, text), { maxLength: 4 }),
    cited: maybe(
      fc.uniqueArray(citation, { minLength: 1, maxLength: 3, selector: (it) => it.url }),
    ),
    image: maybe(image),
    calls: fc.array(call, { maxLength: 3 }),
  })
  .map(({ before, cited, image, calls }): ContentBlock[] => {
    const blocks = apart(before);
    const last = blocks.findLast((block) => block.type === 'text');
    if (last && cited) last.citations = cited;
    return [...blocks, ...(image ? [image] : []), ...calls];
  });
const STOPS = { STOP: 'stop', MAX_TOKENS: 'length', SAFETY: 'content_filter' } as const;

function choice(index: number): fc.Arbitrary<NormalisedChoice> {
  return fc
    .record({ content, raw: fc.constantFrom(...(Object.keys(STOPS) as (keyof typeof STOPS)[])) })
    .map(({ content, raw }) => {
      const calls = raw === 'STOP' && content.some((block) => block.type === 'tool_call');
      const stopReason = calls ? ('tool_calls' as const) : STOPS[raw];
      return { index, content, stopReason, rawStopReason: raw };
    });
}

function response(choices: number): fc.Arbitrary<NormalisedResponse> {
  return fc
    .record({
      id: name,
      model: name,
      createdAtS: fc.nat(2_000_000_000),
      choices: fc.tuple(...Array.from({ length: choices }, (_, index) => choice(index))),
      usage,
    })
    .map((answer) => ({ ...answer, choices: [...answer.choices] }));
}

test('an answer survives encoding and decoding', () => {
  fc.assert(
    fc.property(response(2), (answer) => {
      const { raw: _, ...read } = format.decodeResponse(
        format.encodeResponse(answer, { ...context, model: answer.model }),
      );
      expect(read).toEqual(answer);
    }),
    { numRuns: 300 },
  );
});

/** `streamOf` emits neither seals nor citations, so each is added after its block. */
function eventsOf(answer: NormalisedResponse, cut: (text: string) => string[]): StreamEvent[] {
  const plain = streamOf({ ...answer, choices: [] }, cut);
  const [start, ...end] = plain.filter(({ type }) => type !== 'stop');
  const said = answer.choices.flatMap((choice): StreamEvent[] =>
    choice.content.flatMap((block, at): StreamEvent[] => {
      const { index } = choice;
      if (block.type === 'image') return [{ type: 'image', choice: index, url: block.url }];
      const one = { ...answer, choices: [{ ...choice, content: [block] }] };
      const events = streamOf(one, cut)
        .filter(({ type }) => !['start', 'stop', 'usage', 'end'].includes(type))
        .map((event) => ('tool' in event ? { ...event, tool: at } : event));
      if (block.type === 'thinking' && block.signature !== undefined) {
        const { signature } = block;
        events.push({ type: 'thinking', choice: index, signature, sealedBy: SEALER });
      }
      return events;
    }),
  );
  const cited = answer.choices.flatMap(({ index: choice, content }): StreamEvent[] =>
    content.flatMap((block) =>
      block.type === 'text'
        ? (block.citations ?? []).map((citation) => ({
            type: 'citation' as const,
            choice,
            citation,
          }))
        : [],
    ),
  );
  const stops = answer.choices.map(
    ({ index: choice, stopReason: reason, rawStopReason: rawReason }) => ({
      type: 'stop' as const,
      choice,
      reason,
      rawReason,
    }),
  );
  return [...(start ? [start] : []), ...said, ...cited, ...stops, ...end];
}

const places = fc.array(fc.nat(), { maxLength: 20 });

function written(format: Format, answer: NormalisedResponse, size: number): string {
  const cut = (text: string): string[] => {
    const points = Array.from(text);
    const pieces: string[] = [];
    for (let at = 0; at < points.length; at += size) {
      pieces.push(points.slice(at, at + size).join(''));
    }
    return pieces;
  };
  const encoder = format.createStreamEncoder({ ...context, model: answer.model });
  return eventsOf(answer, cut)
    .map((event) => encoder.encode(event))
    .join('');
}

function decodeAll(chunks: Buffer[]): StreamEvent[] {
  const decoder = format.createStreamDecoder();
  return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.finish()];
}

test.each(formats)('$name: a stream survives, wherever its bytes are cut', (format) => {
  fc.assert(
    fc.property(response(2), fc.integer({ min: 1, max: 5 }), places, (answer, size, places) => {
      const bytes = Buffer.from(written(format, answer, size));
      const events = decodeAll(cutBytes(bytes, places));
      expect(events.at(-1)).toEqual({ type: 'end' });
      expect(foldStream(events)).toEqual(answer);
      expect(decodeAll([bytes])).toEqual(events);
    }),
    { numRuns: 300 },
  );
});

test('line ends of the vendor do not change a stream', () => {
  fc.assert(
    fc.property(response(1), places, (answer, places) => {
      const bytes = Buffer.from(written(format, answer, 3).replaceAll('\n\n', '\r\n\r\n'));
      expect(foldStream(decodeAll(cutBytes(bytes, places)))).toEqual(answer);
    }),
  );
});

test.each(formats)('$name: a tap passes a stream on and reports its content', (format) => {
  fc.assert(
    fc.property(response(2), places, (answer, places) => {
      const text = written(format, answer, 2);
      const tap = format.createUsageTap({ stripUsage: false });
      const out = cutBytes(Buffer.from(text), places).flatMap((chunk) => tap.push(chunk));
      out.push(...tap.finish());
      expect(Buffer.concat(out).toString()).toBe(text);
      expect(tap.report).toMatchObject({
        terminal: true,
        usage: answer.usage?.tokens,
        responseId: answer.id,
        model: answer.model,
        outputSeen: answer.choices.some(({ content }) => content.length > 0),
      });
      expect(tap.report).not.toHaveProperty('fault');
    }),
    { numRuns: 300 },
  );
});
