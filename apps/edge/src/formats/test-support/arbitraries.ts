// Random requests, answers and streams, in the canonical form of a codec.

import { emptyUsage } from '@tollgate/contracts';
import fc from 'fast-check';

import { present } from '../json';
import type {
  ContentBlock,
  NormalisedChoice,
  NormalisedMessage,
  NormalisedRequest,
  NormalisedResponse,
  ReportedUsage,
  StopReason,
  StreamEvent,
  ToolCallBlock,
} from '../normalised';

/** Non-empty text in any script, with quotes and line ends. */
export const anyText = fc.oneof(
  fc.string({ minLength: 1, unit: 'binary' }),
  fc.string({ minLength: 1 }),
  fc.constantFrom(
    '[DONE]',
    '"usage":{',
    'data: x\n\n',
    '\r\n',
    '"finish_reason":"stop"',
    '日本語🦊',
  ),
);
const name = fc.stringMatching(/^[a-z_]{1,12}$/);
const anyObject = fc.dictionary(name, fc.oneof(anyText, fc.integer(), fc.boolean()), {
  maxKeys: 3,
});
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const textBlock = anyText.map((text): ContentBlock => ({ type: 'text', text }));
const userBlock: fc.Arbitrary<ContentBlock> = fc.oneof(
  textBlock,
  fc
    .record({ url: fc.webUrl(), detail: maybe(fc.constantFrom('low', 'high', 'auto')) })
    .map(({ url, detail }): ContentBlock => ({ type: 'image', url, ...present({ detail }) })),
  fc
    .record({ data: fc.base64String({ minLength: 4 }), format: fc.constantFrom('wav', 'mp3') })
    .map(({ data, format }): ContentBlock => ({ type: 'audio', data, format })),
  fc
    .record({ data: anyText, filename: maybe(name) })
    .map(({ data, filename }): ContentBlock => ({ type: 'file', data, ...present({ filename }) })),
);
export const toolCall: fc.Arbitrary<ToolCallBlock> = fc.record({
  type: fc.constant('tool_call' as const),
  id: name,
  kind: fc.constantFrom('function' as const, 'custom' as const),
  name,
  arguments: anyText,
});

/** A format that joins adjacent texts sees them as one. */
function apart(blocks: ContentBlock[]): ContentBlock[] {
  return blocks.filter((block, at) => block.type !== 'text' || blocks[at - 1]?.type !== 'text');
}

export const message: fc.Arbitrary<NormalisedMessage> = fc.oneof(
  fc
    .record({
      role: fc.constantFrom('system' as const, 'user' as const),
      name: maybe(name),
      text: textBlock,
    })
    .map(({ role, name, text }) => ({ role, ...present({ name }), content: [text] })),
  fc
    .array(userBlock, { minLength: 1, maxLength: 4 })
    .map((content) => ({ role: 'user' as const, content: apart(content) })),
  fc
    .record({ text: maybe(textBlock), calls: fc.array(toolCall, { maxLength: 3 }) })
    .map(({ text, calls }) => ({
      role: 'assistant' as const,
      content: [...(text ? [text] : []), ...calls],
    })),
  fc.record({ toolCallId: name, text: textBlock }).map(({ toolCallId, text }) => ({
    role: 'tool' as const,
    content: [{ type: 'tool_result' as const, toolCallId, content: [text] }],
  })),
);

// JSON has no negative zero.
const number = (min: number, max: number) =>
  fc.double({ min, max, noNaN: true }).map((value) => value + 0);

const toolReference = fc.record({
  kind: fc.constantFrom('function' as const, 'custom' as const),
  name,
});

/** Only fields that both formats have, so that nothing is dropped. */
export const sharedRequest: fc.Arbitrary<NormalisedRequest> = fc
  .record({
    model: name,
    messages: fc.array(message, { minLength: 1, maxLength: 5 }),
    tools: fc.array(
      fc.oneof(
        fc
          .record({
            name,
            description: maybe(anyText),
            parameters: maybe(anyObject),
            strict: maybe(fc.boolean()),
          })
          .map((tool) => ({ kind: 'function' as const, name: tool.name, ...present(tool) })),
        fc
          .record({ name, description: maybe(anyText), inputFormat: maybe(anyObject) })
          .map((tool) => ({ kind: 'custom' as const, name: tool.name, ...present(tool) })),
      ),
      { maxLength: 3 },
    ),
    toolChoice: maybe(
      fc.oneof(
        fc.record({ mode: fc.constantFrom('auto' as const, 'none' as const, 'required' as const) }),
        fc.record({ mode: fc.constant('tool' as const), tool: toolReference }),
        fc.record({
          mode: fc.constant('allowed' as const),
          require: fc.boolean(),
          tools: fc.array(toolReference, { maxLength: 2 }),
        }),
      ),
    ),
    responseFormat: maybe(
      fc.oneof(
        fc.record({ type: fc.constantFrom('text' as const, 'json_object' as const) }),
        fc
          .record({ name, schema: maybe(anyObject), strict: maybe(fc.boolean()) })
          .map((format) => ({
            type: 'json_schema' as const,
            name: format.name,
            ...present(format),
          })),
      ),
    ),
    sampling: fc
      .record({
        temperature: maybe(number(0, 2)),
        topP: maybe(number(0, 1)),
        topK: maybe(fc.nat(100)),
        stop: maybe(fc.array(anyText, { maxLength: 4 })),
        presencePenalty: maybe(number(-2, 2)),
        frequencyPenalty: maybe(number(-2, 2)),
        seed: maybe(fc.integer()),
      })
      .map(present),
    maxOutputTokens: maybe(fc.integer({ min: 1, max: 100_000 })),
    metadata: maybe(anyObject),
    stream: fc.boolean(),
  })
  .map(({ toolChoice, responseFormat, maxOutputTokens, metadata, stream, ...rest }) => ({
    ...rest,
    ...present({ toolChoice, responseFormat, maxOutputTokens, metadata }),
    format: 'unified' as const,
    stream,
    includeUsage: stream,
    n: 1,
    extras: {},
    raw: {},
  }));

const stopReason: fc.Arbitrary<StopReason> = fc.constantFrom('stop', 'length', 'content_filter');

/** An answer with one kind of content per block, as both formats keep it. */
const choiceContent: fc.Arbitrary<ContentBlock[]> = fc
  .record({
    thinking: maybe(anyText.map((text): ContentBlock => ({ type: 'thinking', text }))),
    text: maybe(textBlock),
    refusal: maybe(anyText.map((text): ContentBlock => ({ type: 'refusal', text }))),
    calls: fc.array(toolCall, { maxLength: 3 }),
  })
  .map(({ thinking, text, refusal, calls }) => [
    ...[thinking, text, refusal].filter((block) => block !== undefined),
    ...calls,
  ]);

function choice(index: number): fc.Arbitrary<NormalisedChoice> {
  return fc.record({ content: choiceContent, reason: stopReason }).map(({ content, reason }) => {
    const calls = content.some((block) => block.type === 'tool_call');
    const stopReason = calls ? ('tool_calls' as const) : reason;
    return { index, content, stopReason, rawStopReason: stopReason };
  });
}

const tokens = fc.nat(100_000);
export const reportedUsage: fc.Arbitrary<ReportedUsage> = fc
  .record({
    input: tokens,
    cacheRead: tokens,
    cacheWrite: tokens,
    audio: tokens,
    seen: tokens,
    output: tokens,
    spoken: tokens,
    drawn: tokens,
  })
  .map(({ input, cacheRead, cacheWrite, audio, seen, output, spoken, drawn }) => ({
    tokens: {
      ...emptyUsage(),
      input,
      cacheRead,
      cacheWrite5m: cacheWrite,
      audioInput: audio,
      imageInput: seen,
      output,
      audioOutput: spoken,
      imageOutput: drawn,
      reasoning: Math.floor(output / 2),
    },
    inputTokens: input + cacheRead + cacheWrite + audio + seen,
    outputTokens: output + spoken + drawn,
  }));

export function response(choices: number): fc.Arbitrary<NormalisedResponse> {
  return fc
    .record({
      id: name,
      model: name,
      createdAtS: fc.nat(2_000_000_000),
      choices: fc.tuple(...Array.from({ length: choices }, (_, index) => choice(index))),
      usage: reportedUsage,
    })
    .map((answer) => ({ ...answer, choices: [...answer.choices] }));
}

/** An answer as stream events, its texts cut into pieces. */
export function streamOf(
  answer: NormalisedResponse,
  cut: (text: string) => string[],
): StreamEvent[] {
  const { id, model, createdAtS } = answer;
  const events: StreamEvent[] = [{ type: 'start', id, model, ...present({ createdAtS }) }];
  for (const { index: choice, content } of answer.choices) {
    let tool = 0;
    for (const block of content) {
      if (block.type === 'text' || block.type === 'refusal' || block.type === 'thinking') {
        for (const text of cut(block.text)) events.push({ type: block.type, choice, text });
      } else if (block.type === 'tool_call') {
        const { kind, id, name } = block;
        events.push({ type: 'tool_start', choice, tool, kind, id, name });
        for (const text of cut(block.arguments)) {
          events.push({ type: 'tool_delta', choice, tool, arguments: text });
        }
        tool += 1;
      }
    }
  }
  for (const { index: choice, stopReason: reason, rawStopReason: rawReason } of answer.choices) {
    events.push({ type: 'stop', choice, reason, rawReason });
  }
  if (answer.usage) events.push({ type: 'usage', usage: answer.usage });
  return [...events, { type: 'end' }];
}

/** Cuts bytes at arbitrary places. */
export function cutBytes(bytes: Buffer, places: number[]): Buffer[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length];
  const sorted = at.sort((a, b) => a - b);
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}
