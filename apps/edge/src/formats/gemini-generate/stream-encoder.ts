// Encodes a stream as candidate chunks. Finish reasons and usage come in one last chunk. The
// constant parts of a chunk are serialised once, because this runs for every token.

import type { ReplyContext, StreamEncoder } from '../format';
import { present } from '../json';
import type {
  Citation,
  JsonObject,
  ReportedUsage,
  StopReason,
  StreamEvent,
  WebSearchCall,
} from '../normalised';
import { encodeCall } from './answer-parts';
import { encodeGrounding } from './citations';
import { errorFrame } from './error';
import { oneLine, type Framing } from './framing';
import { encodeLogprobs } from './logprobs';
import { encodeAudio, encodeImage } from './media';
import { encodeThought } from './signatures';
import { encodeStopReason, MALFORMED_CALL } from './stop-reason';
import { encodeUsage } from './usage';
import { withSearches } from './web-search';

interface ToolState {
  id: string;
  name: string;
  arguments: string;
}

interface ChoiceState {
  index: number;
  /** Calls that may still grow; they are written whole. */
  tools: Map<number, ToolState>;
  texts: string[];
  citations: Citation[];
  searches: WebSearchCall[];
  refuses: boolean;
  /** The function of a call whose arguments are not an object. */
  malformed: string | undefined;
  reason: StopReason;
}

type Delta = Extract<StreamEvent, { choice: number }>;

interface EncoderState {
  readonly context: ReplyContext;
  readonly framing: Framing;
  readonly choices: Map<number, ChoiceState>;
  tail: string;
  usage: ReportedUsage | undefined;
}

export function createStreamEncoder(context: ReplyContext, framing: Framing): StreamEncoder {
  const encoder: EncoderState = {
    context,
    framing,
    choices: new Map(),
    tail: tailOf({ type: 'start', id: '', model: '' }, context),
    usage: undefined,
  };
  return { encode: (event) => encode(encoder, event) };
}

function encode(encoder: EncoderState, event: StreamEvent): string {
  switch (event.type) {
    case 'start':
      encoder.tail = tailOf(event, encoder.context);
      return encoder.framing.open;
    case 'tool_start': {
      const { id, name, tool } = event;
      stateOf(encoder, event.choice).tools.set(tool, { id, name, arguments: '' });
      return '';
    }
    case 'tool_delta': {
      const call = stateOf(encoder, event.choice).tools.get(event.tool);
      if (call !== undefined) call.arguments += event.arguments;
      return '';
    }
    case 'stop': {
      const state = stateOf(encoder, event.choice);
      state.reason = event.reason;
      return pieceOf(encoder, event.choice, takeCalls(state, true));
    }
    case 'usage':
      encoder.usage = event.usage;
      return '';
    case 'units':
      return '';
    case 'end':
      return end(encoder);
    case 'error':
      return encoder.framing.last(errorFrame(event.error, encoder.context));
    default:
      return take(encoder, event);
  }
}

function take(
  encoder: EncoderState,
  event: Exclude<Delta, { type: 'tool_start' | 'tool_delta' | 'stop' }>,
): string {
  const { choice } = event;
  const state = stateOf(encoder, choice);
  const before = state.tools.size > 0 ? pieceOf(encoder, choice, takeCalls(state, false)) : '';
  switch (event.type) {
    case 'text':
    case 'refusal': {
      state.texts.push(event.text);
      state.refuses ||= event.type === 'refusal';
      if (event.text === '' && event.logprobs === undefined) return before;
      const { logprobs } = event;
      const rest = logprobs ? `,"logprobsResult":${oneLine(encodeLogprobs(logprobs))}` : '';
      return before + piece(encoder, choice, `{"text":${oneLine(event.text)}}`, rest);
    }
    case 'thinking':
      return (
        before + pieceOf(encoder, choice, [encodeThought({ ...event, text: event.text ?? '' })])
      );
    case 'citation':
      state.citations.push(event.citation);
      return before;
    case 'web_search':
      state.searches.push(event.search);
      return before;
    case 'image':
      return before + pieceOf(encoder, choice, [encodeImage(event.url)]);
    case 'audio': {
      const { data, transcript } = event;
      const said = transcript === undefined ? undefined : { text: transcript };
      const sound = data === undefined ? undefined : encodeAudio({ type: 'audio', data });
      return before + pieceOf(encoder, choice, [said, sound]);
    }
  }
}

/** Complete calls; at the end all calls are complete or never will be. */
function takeCalls(state: ChoiceState, over: boolean): JsonObject[] {
  const calls: JsonObject[] = [];
  for (const [tool, { id, name, arguments: text }] of state.tools) {
    const call = text === '' && !over ? undefined : encodeCall(id, name, text);
    if (call === undefined && !over) continue;
    state.tools.delete(tool);
    if (call === undefined) state.malformed = name;
    else calls.push(call);
  }
  return calls;
}

function end(encoder: EncoderState): string {
  const tokens = encoder.usage?.tokens ?? encoder.context.estimatedUsage;
  const said =
    tokens !== undefined && encoder.context.includeUsage
      ? `,"usageMetadata":${JSON.stringify(encodeUsage(tokens))}`
      : '';
  const candidates = [...encoder.choices.values()].map(encodeEnding);
  return encoder.framing.last(`{"candidates":${oneLine(candidates)}${said}${encoder.tail}`);
}

function stateOf(encoder: EncoderState, index: number): ChoiceState {
  let state = encoder.choices.get(index);
  if (state === undefined) {
    const none = { texts: [], citations: [], searches: [], refuses: false, malformed: undefined };
    state = { index, tools: new Map(), reason: 'other', ...none };
    encoder.choices.set(index, state);
  }
  return state;
}

function piece(encoder: EncoderState, choice: number, parts: string, rest = ''): string {
  return encoder.framing.more(
    `{"candidates":[{"content":{"parts":[${parts}],"role":"model"},"index":${choice}${rest}}]${encoder.tail}`,
  );
}

function pieceOf(encoder: EncoderState, choice: number, parts: (JsonObject | undefined)[]): string {
  const written = parts.flatMap((part) => (part === undefined ? [] : [oneLine(part)]));
  return written.length > 0 ? piece(encoder, choice, written.join(',')) : '';
}

/** Everything after the candidates. */
function tailOf(start: Extract<StreamEvent, { type: 'start' }>, context: ReplyContext): string {
  const fields = {
    modelVersion: context.model,
    createTime: new Date((start.createdAtS ?? context.createdAtS) * 1_000).toISOString(),
    responseId: start.id || context.requestId,
  };
  return `,${oneLine(fields).slice(1)}`;
}

/** The finish reason of a choice. Its content is present even if empty, because clients read it. */
function encodeEnding(state: ChoiceState): JsonObject {
  const { index, reason, refuses, malformed, citations, searches, texts } = state;
  const finishReason = encodeStopReason(reason, {
    refuses,
    malformedCall: malformed !== undefined,
  });
  return {
    content: { parts: [{ text: '' }], role: 'model' },
    finishReason,
    ...(finishReason === MALFORMED_CALL
      ? { finishMessage: `Malformed function call: ${malformed}` }
      : {}),
    index,
    ...present({
      groundingMetadata: withSearches(encodeGrounding(citations, texts.join('')), searches),
    }),
  };
}
