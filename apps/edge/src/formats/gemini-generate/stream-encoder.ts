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

export function createStreamEncoder(context: ReplyContext, framing: Framing): StreamEncoder {
  const choices = new Map<number, ChoiceState>();
  let tail = tailOf({ type: 'start', id: '', model: '' }, context);
  let usage: ReportedUsage | undefined;

  function stateOf(index: number): ChoiceState {
    let state = choices.get(index);
    if (state === undefined) {
      const none = { texts: [], citations: [], searches: [], refuses: false, malformed: undefined };
      state = { index, tools: new Map(), reason: 'other', ...none };
      choices.set(index, state);
    }
    return state;
  }

  function piece(choice: number, parts: string, rest = ''): string {
    return framing.more(
      `{"candidates":[{"content":{"parts":[${parts}],"role":"model"},"index":${choice}${rest}}]${tail}`,
    );
  }

  function pieceOf(choice: number, parts: (JsonObject | undefined)[]): string {
    const written = parts.flatMap((part) => (part === undefined ? [] : [oneLine(part)]));
    return written.length > 0 ? piece(choice, written.join(',')) : '';
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

  function take(event: Exclude<Delta, { type: 'tool_start' | 'tool_delta' | 'stop' }>): string {
    const { choice } = event;
    const state = stateOf(choice);
    const before = state.tools.size > 0 ? pieceOf(choice, takeCalls(state, false)) : '';
    switch (event.type) {
      case 'text':
      case 'refusal': {
        state.texts.push(event.text);
        state.refuses ||= event.type === 'refusal';
        if (event.text === '' && event.logprobs === undefined) return before;
        const { logprobs } = event;
        const rest = logprobs ? `,"logprobsResult":${oneLine(encodeLogprobs(logprobs))}` : '';
        return before + piece(choice, `{"text":${oneLine(event.text)}}`, rest);
      }
      case 'thinking':
        return before + pieceOf(choice, [encodeThought({ ...event, text: event.text ?? '' })]);
      case 'citation':
        state.citations.push(event.citation);
        return before;
      case 'web_search':
        state.searches.push(event.search);
        return before;
      case 'image':
        return before + pieceOf(choice, [encodeImage(event.url)]);
      case 'audio': {
        const { data, transcript } = event;
        const said = transcript === undefined ? undefined : { text: transcript };
        const sound = data === undefined ? undefined : encodeAudio({ type: 'audio', data });
        return before + pieceOf(choice, [said, sound]);
      }
    }
  }

  function end(): string {
    const tokens = usage?.tokens ?? context.estimatedUsage;
    const said =
      tokens !== undefined && context.includeUsage
        ? `,"usageMetadata":${JSON.stringify(encodeUsage(tokens))}`
        : '';
    const candidates = [...choices.values()].map(encodeEnding);
    return framing.last(`{"candidates":${oneLine(candidates)}${said}${tail}`);
  }

  function encode(event: StreamEvent): string {
    switch (event.type) {
      case 'start':
        tail = tailOf(event, context);
        return framing.open;
      case 'tool_start': {
        const { id, name, tool } = event;
        stateOf(event.choice).tools.set(tool, { id, name, arguments: '' });
        return '';
      }
      case 'tool_delta': {
        const call = stateOf(event.choice).tools.get(event.tool);
        if (call !== undefined) call.arguments += event.arguments;
        return '';
      }
      case 'stop': {
        const state = stateOf(event.choice);
        state.reason = event.reason;
        return pieceOf(event.choice, takeCalls(state, true));
      }
      case 'usage':
        usage = event.usage;
        return '';
      case 'units':
        return '';
      case 'end':
        return end();
      case 'error':
        return framing.last(errorFrame(event.error, context));
      default:
        return take(event);
    }
  }

  return { encode };
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
