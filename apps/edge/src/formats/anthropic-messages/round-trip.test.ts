// Encoding then decoding returns the same value, and a stream decodes the same wherever it is cut.
import { emptyUsage } from '@tollgate/contracts';
import fc from 'fast-check';

import { anthropicMessages as format } from '.';
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
import { anyText, cutBytes, streamOf } from '../test-support/arbitraries';

const context: ReplyContext = {
  requestId: 'r',
  provider: 'provider_b',
  model: 'm',
  createdAtS: 1,
  includeUsage: true,
};

const name = fc.stringMatching(/^[a-z_]{1,12}$/);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
/** The vendor rejects text that is only white space. */
const saying = anyText.filter((said) => said.trim() !== '');
const text = saying.map((said): ContentBlock => ({ type: 'text', text: said }));
const image = fc
  .oneof(fc.webUrl(), fc.constant('data:image/png;base64,iVBORw0K'))
  .map((url): ContentBlock => ({ type: 'image', url }));
const file = maybe(name).map((filename): ContentBlock => ({
  type: 'file',
  data: 'data:application/pdf;base64,JVBERi0=',
  ...present({ filename }),
}));
const input = fc.dictionary(name, fc.oneof(anyText, fc.integer(), fc.boolean()), { maxKeys: 3 });
const call = fc.record({ id: name, name, input }).map(({ id, name, input }): ContentBlock => ({
  type: 'tool_call',
  id,
  kind: 'function',
  name,
  arguments: JSON.stringify(input),
}));
const SEALER = 'anthropic-messages';
const thinking = fc.oneof(
  fc
    .record({ text: anyText, signature: name })
    .map((fields): ContentBlock => ({ type: 'thinking', ...fields, sealedBy: SEALER })),
  name.map((redacted): ContentBlock => ({
    type: 'thinking',
    text: '',
    redacted,
    sealedBy: SEALER,
  })),
);
const result = fc
  .record({ toolCallId: name, content: fc.array(fc.oneof(text, image), { maxLength: 2 }) })
  .chain((fields) =>
    fc.boolean().map((failed): ContentBlock => ({
      type: 'tool_result',
      ...fields,
      ...(failed ? { isError: true } : {}),
    })),
  );

/** A conversation in this format's form: turns alternate, and results come first. */
const messages: fc.Arbitrary<NormalisedMessage[]> = fc
  .record({
    system: maybe(fc.array(text, { minLength: 1, maxLength: 2 })),
    turns: fc.array(
      fc.record({
        results: fc.array(result, { maxLength: 2 }),
        asked: fc.array(fc.oneof(text, image, file), { minLength: 1, maxLength: 3 }),
        answered: fc.array(fc.oneof(text, thinking, call), { minLength: 1, maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    last: text,
  })
  .map(({ system, turns, last }) => {
    const said = turns.flatMap(({ results, asked, answered }): NormalisedMessage[] => [
      { role: 'user', content: [...results, ...asked] },
      { role: 'assistant', content: answered },
    ]);
    said.push({ role: 'user', content: [last] });
    const numbered = said.map((message, at) => ({ ...message, path: `messages[${at}]` }));
    return system
      ? [{ role: 'system' as const, path: 'system', content: system }, ...numbered]
      : numbered;
  });

const schema = fc.constant({ type: 'object', properties: {}, additionalProperties: false });
const request: fc.Arbitrary<NormalisedRequest> = fc
  .record({
    model: name,
    messages,
    tools: fc.array(
      fc.record({ name, description: maybe(anyText), strict: maybe(fc.boolean()) }).map((tool) => ({
        kind: 'function' as const,
        name: tool.name,
        ...present(tool),
        parameters: { type: 'object', properties: {}, additionalProperties: false },
      })),
      { minLength: 1, maxLength: 3 },
    ),
    choice: fc.oneof(
      fc.constant({}),
      fc.record({
        toolChoice: fc.oneof(
          fc.record({ mode: fc.constantFrom('auto' as const, 'required' as const) }),
          fc.record({
            mode: fc.constant('tool' as const),
            tool: fc.record({ kind: fc.constant('function' as const), name }),
          }),
        ),
        parallelToolCalls: fc.constant(false),
      }),
      fc.constant({ toolChoice: { mode: 'none' as const } }),
    ),
    responseFormat: maybe(
      schema.map((value) => ({ type: 'json_schema' as const, name: 'answer', schema: value })),
    ),
    sampling: fc
      .record({
        temperature: maybe(fc.double({ min: 0, max: 0.9, noNaN: true })),
        topP: maybe(fc.double({ min: 0, max: 0.9, noNaN: true })),
        topK: maybe(fc.nat(100)),
        stop: maybe(fc.array(name, { minLength: 1, maxLength: 3 })),
      })
      .map(present),
    maxOutputTokens: fc.integer({ min: 1, max: 100_000 }),
    endUser: maybe(name),
    serviceTier: maybe(fc.constantFrom('auto', 'default')),
    stream: fc.boolean(),
  })
  .map(({ choice, responseFormat, endUser, serviceTier, ...rest }) => ({
    ...rest,
    ...choice,
    ...present({ responseFormat, endUser, serviceTier }),
    format: 'unified' as const,
    includeUsage: true,
    n: 1,
    extras: {},
    raw: {},
  }));

test('a request survives encoding and decoding', () => {
  fc.assert(
    fc.property(request, (asked) => {
      const target = { providerType: 'PROVIDER_B', model: asked.model, strict: true } as const;
      const { body, dropped } = format.encodeRequest(asked, target);
      expect(dropped).toEqual([]);
      const sent = JSON.parse(JSON.stringify(body)) as Record<string, unknown>;
      const { paths: _, ...read } = format.decodeRequest(sent, {});
      expect({ ...read, format: 'unified', raw: {} }).toEqual(asked);
    }),
    { numRuns: 300 },
  );
});

/** A stream joins adjacent blocks of one kind, so they count as one. */
function apart(blocks: ContentBlock[]): ContentBlock[] {
  const joins = ['text', 'thinking'];
  return blocks.filter(({ type }, at) => !joins.includes(type) || blocks[at - 1]?.type !== type);
}

const count = fc.nat(100_000);
const answer: fc.Arbitrary<NormalisedResponse> = fc
  .record({
    id: name,
    model: name,
    content: fc
      .array(
        fc.oneof(
          text,
          call,
          anyText.map((said): ContentBlock => ({ type: 'thinking', text: said })),
        ),
        {
          maxLength: 5,
        },
      )
      .map(apart),
    reason: fc.constantFrom(
      { stopReason: 'stop', rawStopReason: 'end_turn' } as const,
      { stopReason: 'stop', rawStopReason: 'stop_sequence', stopSequence: 'END' } as const,
      { stopReason: 'length', rawStopReason: 'max_tokens' } as const,
      { stopReason: 'refusal', rawStopReason: 'refusal' } as const,
      { stopReason: 'pause', rawStopReason: 'pause_turn' } as const,
    ),
    tokens: fc.record({
      input: count,
      cacheRead: count,
      cacheWrite5m: count,
      cacheWrite1h: count,
      output: count,
    }),
  })
  .map(({ id, model, content, reason, tokens }) => {
    const calls = content.some(({ type }) => type === 'tool_call');
    const called = { stopReason: 'tool_calls', rawStopReason: 'tool_use' } as const;
    const usage = { ...emptyUsage(), ...tokens, reasoning: tokens.output >> 1 };
    return {
      id,
      model,
      choices: [
        { index: 0, content, ...(calls && reason.stopReason === 'stop' ? called : reason) },
      ],
      usage: { tokens: usage, inputTokens: usage.input, outputTokens: usage.output },
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
  const [choice] = said.choices;
  const sequence = choice?.stopSequence;
  return streamOf(said, (whole) => {
    const points = Array.from(whole);
    const pieces: string[] = [];
    for (let at = 0; at < points.length; at += size)
      pieces.push(points.slice(at, at + size).join(''));
    return pieces;
  }).map((event) =>
    event.type === 'stop' && sequence !== undefined ? { ...event, stopSequence: sequence } : event,
  );
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

test('a stream cut anywhere is not complete', () => {
  fc.assert(
    fc.property(answer, fc.nat(), (said, place) => {
      const bytes = Buffer.from(write(events(said, 1)));
      // The cut falls before the last event, because a missing blank line after it is accepted.
      const last = 'data: {"type":"message_stop"}\n\n'.length;
      const cut = bytes.subarray(0, place % (bytes.length - last + 1));
      expect(decodeAll([cut]).at(-1)).toMatchObject({ type: 'error', fault: 'EARLY_END' });
      const tap = format.createUsageTap({ stripUsage: false });
      const passed = Buffer.concat([...tap.push(cut), ...tap.finish()]).toString();
      expect(tap.report).toMatchObject({ terminal: false, fault: 'EARLY_END' });
      // The output ends with a whole event, so that an error event can follow.
      expect(passed === '' || passed.endsWith('\n\n')).toBe(true);
    }),
    { numRuns: 300 },
  );
});
