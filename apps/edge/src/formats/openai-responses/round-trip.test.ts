// Encoding then decoding returns the same value, and a stream decodes the same wherever it is cut.
import { emptyUsage } from '@tollgate/contracts';
import fc from 'fast-check';

import { openaiResponses as format } from '.';
import { foldStream } from '../fold';
import type { ReplyContext } from '../format';
import { present } from '../json';
import type {
  ContentBlock,
  NormalisedMessage,
  NormalisedRequest,
  NormalisedResponse,
  StreamEvent,
} from '../normalised';
import { anyText, cutBytes, streamOf, toolCall } from '../test-support/arbitraries';

const context: ReplyContext = {
  requestId: 'r',
  provider: 'provider_a',
  model: 'm',
  createdAtS: 1,
  includeUsage: true,
};

const name = fc.stringMatching(/^[a-z_]{1,12}$/);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const anyObject = fc.dictionary(name, fc.oneof(anyText, fc.integer(), fc.boolean()), {
  maxKeys: 3,
});
const text = anyText.map((said): ContentBlock => ({ type: 'text', text: said }));
const image = fc
  .record({ url: fc.webUrl(), detail: maybe(fc.constantFrom('low', 'high')) })
  .map(({ url, detail }): ContentBlock => ({ type: 'image', url, ...present({ detail }) }));
const sound = fc.constant<ContentBlock>({ type: 'audio', data: 'UklGRg==', format: 'wav' });
const file = fc
  .record({ data: maybe(anyText), fileId: maybe(name), filename: maybe(name) })
  .map((fields): ContentBlock => ({ type: 'file', ...present(fields) }));
const refusal = anyText.map((said): ContentBlock => ({ type: 'refusal', text: said }));
const thinking = anyText.map((said): ContentBlock => ({ type: 'thinking', text: said }));

/** A conversation in this format's form: consecutive assistant items are one turn. */
const messages: fc.Arbitrary<NormalisedMessage[]> = fc
  .record({
    system: maybe(text),
    turns: fc.array(
      fc.record({
        asked: fc.array(fc.oneof(text, image, sound, file), { minLength: 1, maxLength: 3 }),
        answered: fc.array(fc.oneof(text, refusal, thinking, toolCall), {
          minLength: 1,
          maxLength: 4,
        }),
        result: maybe(fc.array(fc.oneof(text, image, file), { minLength: 1, maxLength: 2 })),
        between: maybe(text),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  })
  .map(({ system, turns }) => {
    const said = turns.flatMap(({ asked, answered, result, between }): NormalisedMessage[] => [
      { role: 'user', content: asked },
      { role: 'assistant', content: answered },
      ...(result
        ? [
            {
              role: 'tool' as const,
              content: [{ type: 'tool_result' as const, toolCallId: 'c', content: result }],
            },
          ]
        : []),
      ...(between ? [{ role: 'system' as const, content: [between] }] : []),
    ]);
    return system ? [{ role: 'system' as const, content: [system] }, ...said] : said;
  });

const reference = fc.record({
  kind: fc.constantFrom('function' as const, 'custom' as const),
  name,
});
const schema = fc
  .record({ name, description: maybe(anyText), schema: anyObject, strict: maybe(fc.boolean()) })
  .map((fields) => ({ type: 'json_schema' as const, ...present(fields) }));
const number = (min: number, max: number) =>
  fc.double({ min, max, noNaN: true }).map((value) => value + 0);

const request: fc.Arbitrary<NormalisedRequest> = fc
  .record({
    model: name,
    messages,
    tools: fc.array(
      fc.oneof(
        fc
          .record({
            name,
            description: maybe(anyText),
            parameters: maybe(anyObject),
            strict: fc.boolean(),
          })
          .map((tool) => ({
            kind: 'function' as const,
            name: tool.name,
            strict: tool.strict,
            ...present({ description: tool.description, parameters: tool.parameters }),
          })),
        fc
          .record({ name, description: maybe(anyText), inputFormat: maybe(anyObject) })
          .map((tool) => ({ kind: 'custom' as const, name: tool.name, ...present(tool) })),
      ),
      { maxLength: 3 },
    ),
    toolChoice: maybe(
      fc.oneof(
        fc.record({ mode: fc.constantFrom('auto' as const, 'none' as const, 'required' as const) }),
        fc.record({ mode: fc.constant('tool' as const), tool: reference }),
        fc.record({
          mode: fc.constant('allowed' as const),
          require: fc.boolean(),
          tools: fc.array(reference, { maxLength: 2 }),
        }),
      ),
    ),
    responseFormat: maybe(
      fc.oneof(
        fc.record({ type: fc.constantFrom('text' as const, 'json_object' as const) }),
        schema.map((format) => ({ name: '', ...format })),
      ),
    ),
    sampling: fc
      .record({
        temperature: maybe(number(0, 2)),
        topP: maybe(number(0, 1)),
        topK: maybe(fc.nat(100)),
        stop: maybe(fc.array(anyText, { minLength: 1, maxLength: 4 })),
        seed: maybe(fc.integer()),
        logitBias: maybe(fc.constant({ '5': 1 })),
        logprobs: maybe(fc.constant(true)),
      })
      .map(present),
    parallelToolCalls: maybe(fc.boolean()),
    maxOutputTokens: maybe(fc.integer({ min: 1, max: 100_000 })),
    reasoningEffort: maybe(fc.constantFrom('none', 'low', 'high')),
    metadata: maybe(fc.dictionary(name, anyText, { minKeys: 1, maxKeys: 3 })),
    endUser: maybe(name),
    serviceTier: maybe(fc.constantFrom('auto', 'flex')),
    stream: fc.boolean(),
  })
  .map(({ model, messages, tools, sampling, stream, toolChoice, parallelToolCalls, ...rest }) => ({
    model,
    messages,
    tools,
    sampling,
    stream,
    ...present(rest),
    // Without tools there is no tool choice.
    ...(tools.length > 0 ? present({ toolChoice, parallelToolCalls }) : {}),
    format: 'unified' as const,
    includeUsage: true,
    n: 1,
    extras: {},
    raw: {},
  }));

function withoutField<T extends object, K extends keyof T>(value: T, field: K): Omit<T, K> {
  const { [field]: _, ...rest } = value;
  return rest;
}

test('a request survives encoding and decoding', () => {
  fc.assert(
    fc.property(request, (asked) => {
      const target = { providerType: 'PROVIDER_D', model: asked.model, strict: true } as const;
      const { body, dropped } = format.encodeRequest(asked, target);
      expect(dropped).toEqual([]);
      const sent = JSON.parse(JSON.stringify(body)) as Record<string, unknown>;
      const { paths: _, messages: said, ...read } = format.decodeRequest(sent, {});
      const messages = said.map((message) => withoutField(message, 'path'));
      expect({ ...read, messages, format: 'unified', raw: {} }).toEqual(asked);
    }),
    { numRuns: 300 },
  );
});

/** A stream joins adjacent blocks of one kind, so they count as one. */
function apart(blocks: ContentBlock[]): ContentBlock[] {
  const joins = ['text', 'thinking', 'refusal'];
  return blocks.filter(({ type }, at) => !joins.includes(type) || blocks[at - 1]?.type !== type);
}

/** Clients match calls and results by id. */
function distinct(blocks: ContentBlock[]): ContentBlock[] {
  return blocks.map((block, at) =>
    block.type === 'tool_call' ? { ...block, id: `${block.id}${at}` } : block,
  );
}

const count = fc.nat(100_000);
const answer: fc.Arbitrary<NormalisedResponse> = fc
  .record({
    id: name,
    model: name,
    createdAtS: fc.nat(2_000_000_000),
    content: fc
      .array(fc.oneof(text, refusal, thinking, toolCall), { maxLength: 6 })
      .map((blocks) => distinct(apart(blocks))),
    reason: fc.constantFrom(
      { stopReason: 'stop', rawStopReason: 'completed' } as const,
      { stopReason: 'length', rawStopReason: 'max_output_tokens' } as const,
    ),
    tokens: fc.record({
      input: count,
      cacheRead: count,
      cacheWrite5m: count,
      cacheWrite1h: count,
      output: count,
    }),
  })
  .map(({ id, model, createdAtS, content, reason, tokens }) => {
    const calls = content.some(({ type }) => type === 'tool_call');
    const called = { stopReason: 'tool_calls', rawStopReason: 'completed' } as const;
    const usage = { ...emptyUsage(), ...tokens, reasoning: tokens.output >> 1 };
    const inputTokens = tokens.input + tokens.cacheRead + tokens.cacheWrite5m + tokens.cacheWrite1h;
    return {
      id,
      model,
      createdAtS,
      choices: [
        { index: 0, content, ...(calls && reason.stopReason === 'stop' ? called : reason) },
      ],
      usage: { tokens: usage, inputTokens, outputTokens: usage.output },
    };
  });

test('an answer survives encoding and decoding', () => {
  fc.assert(
    fc.property(answer, (said) => {
      const { raw: _, ...read } = format.decodeResponse(
        format.encodeResponse(said, { ...context, model: said.model }),
      );
      expect(read).toEqual(said);
    }),
    { numRuns: 300 },
  );
});

function decodeAll(chunks: Buffer[]): StreamEvent[] {
  const decoder = format.createStreamDecoder();
  return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.finish()];
}

function events(said: NormalisedResponse, size: number): StreamEvent[] {
  return streamOf(said, (whole) => {
    const points = Array.from(whole);
    const pieces: string[] = [];
    for (let at = 0; at < points.length; at += size) {
      pieces.push(points.slice(at, at + size).join(''));
    }
    return pieces;
  });
}

function write(said: StreamEvent[]): string {
  const [start] = said;
  const model = start?.type === 'start' ? start.model : '';
  const encoder = format.createStreamEncoder({ ...context, model });
  return said.map((event) => encoder.encode(event)).join('');
}

const places = fc.array(fc.nat(), { maxLength: 20 });
const size = fc.integer({ min: 1, max: 5 });

test('a stream survives, wherever its bytes are cut', () => {
  fc.assert(
    fc.property(answer, size, places, (said, size, places) => {
      const bytes = Buffer.from(write(events(said, size)));
      const read = decodeAll(cutBytes(bytes, places));
      expect(read.at(-1)).toEqual({ type: 'end' });
      expect(foldStream(read)).toEqual(said);
      expect(foldStream(decodeAll([bytes]))).toEqual(said);
    }),
    { numRuns: 300 },
  );
});

test('sequence numbers rise by one, and the last event holds the unary answer', () => {
  fc.assert(
    fc.property(answer, size, (said, size) => {
      const data = write(events(said, size))
        .split('\n\n')
        .slice(0, -1)
        .map((block) => JSON.parse(block.slice(block.indexOf('data: ') + 6)) as object);
      expect(data).toMatchObject(data.map((_, sequence_number) => ({ sequence_number })));
      const whole = format.encodeResponse(said, { ...context, model: said.model });
      const last = data.at(-1) as { response: Record<string, unknown> };
      // Only the last items of a stream can know that they are incomplete.
      expect(withoutStatus(last.response)).toEqual(withoutStatus(whole));
    }),
    { numRuns: 300 },
  );
});

function withoutStatus(response: Record<string, unknown>): object {
  const items = response['output'] as Record<string, unknown>[];
  return { ...response, output: items.map((item) => withoutField(item, 'status')) };
}

test('a tap passes a stream on unchanged and reports its content', () => {
  fc.assert(
    fc.property(answer, size, places, (said, size, places) => {
      const whole = write(events(said, size));
      const tap = format.createUsageTap({ stripUsage: false });
      const out = cutBytes(Buffer.from(whole), places).flatMap((chunk) => tap.push(chunk));
      out.push(...tap.finish());
      expect(Buffer.concat(out).toString()).toBe(whole);
      const [choice] = said.choices;
      expect(tap.report).toMatchObject({
        terminal: true,
        usage: said.usage?.tokens,
        responseId: said.id,
        model: said.model,
        stopReason: choice?.stopReason,
        rawStopReason: choice?.rawStopReason,
        outputSeen: choice?.content.length !== 0,
      });
      expect(tap.report).not.toHaveProperty('fault');
    }),
    { numRuns: 300 },
  );
});

test('a stream cut anywhere is not complete, and the gateway can end it', () => {
  fc.assert(
    fc.property(answer, fc.nat(), (said, place) => {
      const bytes = Buffer.from(write(events(said, 1)));
      // The cut falls before the last event, because a missing blank line after it is accepted.
      const cut = bytes.subarray(0, place % (bytes.length - 3));
      expect(decodeAll([cut]).at(-1)).toMatchObject({ type: 'error', fault: 'EARLY_END' });
      const tap = format.createUsageTap({ stripUsage: false });
      const passed = Buffer.concat([...tap.push(cut), ...tap.finish()]).toString();
      expect(tap.report).toMatchObject({ terminal: false, fault: 'EARLY_END' });
      // The output ends with a whole event, so that other events can follow.
      expect(passed === '' || passed.endsWith('\n\n')).toBe(true);

      const ended = passed + (tap.ending?.cut(emptyUsage()) ?? '');
      const whole = foldStream(decodeAll([Buffer.from(ended)]));
      expect(whole.choices[0]).toMatchObject({ stopReason: 'length' });
      const lengthOf = (answer: NormalisedResponse): number =>
        answer.choices
          .flatMap(({ content }) => content)
          .reduce((sum, block) => sum + JSON.stringify(block).length, 0);
      expect(lengthOf(whole)).toBeLessThanOrEqual(lengthOf(said));
      const numbers = [...ended.matchAll(/^data: \{"type":"[^"]+","sequence_number":(\d+)/gm)];
      expect(numbers.map(([, number]) => Number(number))).toEqual(numbers.map((_, at) => at));
    }),
    { numRuns: 300 },
  );
});
