// Encodes a streamed chat completion. The constant parts of a chunk are serialised once, because
// this runs for every token.

import type { ReplyContext, StreamEncoder } from '../format';
import { present } from '../json';
import type { JsonObject, ReportedUsage, StreamEvent } from '../normalised';
import { encodeStreamError } from './error';
import { encodeAudio, encodeCitation, encodeLogprobs, encodeTier } from './response';
import { encodeStopReason } from './stop-reason';
import { LAST_EVENT } from './terminal';
import { encodeThinking } from './thinking';
import { encodeUsage } from './usage';

type Start = Extract<StreamEvent, { type: 'start' }>;

export function createStreamEncoder(context: ReplyContext): StreamEncoder {
  const legacy = context.legacyFunctions ?? false;
  const { begin, chunk, head } = createChunkWriter(context);
  const customTools = new Set<string>();
  const thoughts = createThoughts();
  let usage: ReportedUsage | undefined;

  function end(): string {
    const tokens = usage?.tokens ?? context.estimatedUsage;
    const last =
      context.includeUsage && tokens !== undefined
        ? `${head()}"choices":[],"usage":${JSON.stringify(encodeUsage(tokens))}}\n\n`
        : '';
    return last + LAST_EVENT;
  }

  function encode(event: StreamEvent): string {
    switch (event.type) {
      case 'start':
        return begin(event);
      case 'text': {
        const delta = `{"content":${JSON.stringify(event.text)}}`;
        return chunk(event.choice, delta, 'null', event.logprobs);
      }
      case 'refusal': {
        const delta = `{"refusal":${JSON.stringify(event.text)}}`;
        return chunk(event.choice, delta, 'null', event.logprobs);
      }
      case 'thinking':
        return chunk(event.choice, JSON.stringify(thoughts.take(event)));
      case 'stop':
        return chunk(event.choice, '{}', JSON.stringify(encodeStopReason(event.reason, legacy)));
      case 'usage':
        usage = event.usage;
        return '';
      // The format has citations, but no search queries.
      case 'web_search':
      case 'units':
        return '';
      case 'end':
        return end();
      case 'error':
        return encodeStreamError(event.error, context);
      default:
        return chunk(event.choice, JSON.stringify(encodeDelta(event, legacy, customTools)));
    }
  }

  return { encode };
}

function createChunkWriter(context: ReplyContext) {
  const introduced = new Set<number>();
  const usageField = context.includeUsage ? ',"usage":null' : '';
  // Everything before `choices`.
  let head = headOf({ type: 'start', id: '', model: '' }, context);

  function chunk(choice: number, delta: string, finish = 'null', logprobs?: JsonObject): string {
    const role = introduced.has(choice) ? '' : introduce(choice);
    const probs = logprobs ? `,"logprobs":${JSON.stringify(encodeLogprobs(logprobs))}` : '';
    return `${role}${head}"choices":[{"index":${choice},"delta":${delta}${probs},"finish_reason":${finish}}]${usageField}}\n\n`;
  }

  function introduce(choice: number): string {
    introduced.add(choice);
    return chunk(choice, '{"role":"assistant","content":""}');
  }

  return {
    begin: (start: Start): string => {
      head = headOf(start, context);
      return introduce(0);
    },
    chunk,
    head: () => head,
  };
}

type Delta = Exclude<
  Extract<StreamEvent, { choice: number }>,
  { type: 'text' | 'refusal' | 'thinking' | 'web_search' | 'stop' }
>;

function encodeDelta(event: Delta, legacy: boolean, customTools: Set<string>): JsonObject {
  switch (event.type) {
    case 'citation':
      return { annotations: [encodeCitation(event.citation)] };
    case 'image':
      return { images: [{ type: 'image_url', image_url: { url: event.url } }] };
    case 'audio':
      return { audio: encodeAudio(event) };
    case 'tool_start':
      if (event.kind === 'custom') customTools.add(`${event.choice}.${event.tool}`);
      return encodeToolStart(event, legacy);
    case 'tool_delta': {
      const { choice, tool: index, arguments: text } = event;
      if (legacy) return { function_call: { arguments: text } };
      // A custom tool's text has another field name; the kind was sent when the call started.
      const custom = customTools.has(`${choice}.${index}`);
      const delta = custom ? { custom: { input: text } } : { function: { arguments: text } };
      return { tool_calls: [{ index, ...delta }] };
    }
  }
}

function headOf(start: Start, context: ReplyContext): string {
  const fields = {
    id: start.id || `chatcmpl-${context.requestId}`,
    object: 'chat.completion.chunk',
    created: start.createdAtS ?? context.createdAtS,
    model: context.model,
    ...present({
      service_tier: encodeTier(start.serviceTier),
      system_fingerprint: start.systemFingerprint,
    }),
  };
  return `data: ${JSON.stringify(fields).slice(0, -1)},`;
}

/**
 * Reasoning is streamed as plain text, and repeated with its seal as a whole block: some clients
 * join blocks, some collect them, and some keep only the last one. The block has its index, because
 * the vendor's own client refuses a second block without one.
 */
function createThoughts() {
  const choices = new Map<number, { said: string; blocks: number }>();

  return {
    take(event: Extract<StreamEvent, { type: 'thinking' }>): JsonObject {
      const { choice, text = '', ...seal } = event;
      const state = choices.get(choice) ?? { said: '', blocks: 0 };
      choices.set(choice, state);
      const blocks: JsonObject[] = [];
      const write = (block: Parameters<typeof encodeThinking>[0]): void => {
        blocks.push({ ...encodeThinking(block), index: state.blocks++ });
      };
      state.said += text;
      if (seal.redacted !== undefined) {
        if (state.said !== '') write({ text: state.said });
        write({ ...seal, text: '' });
        state.said = '';
      } else if (seal.signature !== undefined) {
        write({ ...seal, text: state.said });
        state.said = '';
      }
      return {
        ...(text === '' ? {} : { reasoning_content: text }),
        ...(blocks.length > 0 ? { thinking_blocks: blocks } : {}),
      };
    },
  };
}

function encodeToolStart(
  event: Extract<StreamEvent, { type: 'tool_start' }>,
  legacy: boolean,
): JsonObject {
  const { tool: index, id, kind, name } = event;
  if (legacy) return { function_call: { name, arguments: '' } };
  const called =
    kind === 'custom'
      ? { type: 'custom', custom: { name, input: '' } }
      : { type: 'function', function: { name, arguments: '' } };
  return { tool_calls: [{ index, id, ...called }] };
}
