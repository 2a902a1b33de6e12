// Decodes a stream of candidate chunks. There is no terminal event: a stream is complete if it
// closes after every candidate has a finish reason, so `stop` events come at the close.

import type { GatewayError } from '@tollgate/contracts';

import { EVENT_LIMITS, MEASURED_FROM_BYTES } from '../../json/limits';
import { findExcess } from '../../json/scan';
import type { StreamDecoder } from '../format';
import { arrayOf, isObject, objectOf, parseJson, present, textOf } from '../json';
import type {
  ContentBlock,
  JsonObject,
  ReportedUnits,
  StreamEvent,
  StreamFault,
  WebSearchCall,
} from '../normalised';
import { sealOf } from '../seals';
import { toolUnits } from '../server-tools';
import { MAX_EVENT_BYTES } from '../sse';
import { earlyEnd, invalidAnswer } from '../upstream-error';
import { createCallNamer, decodeAnswerPart, indexOf, type NameCall } from './answer-parts';
import { decodeCitations } from './citations';
import { isErrorEvent, streamedError } from './error';
import { createFrameReader, FOREIGN_END, jsonIn } from './frames';
import { decodeLogprobs } from './logprobs';
import { blockReasonIn, createdAt } from './response';
import { countCalls, mostCalls } from './server-tools';
import { decodeStopReason, finishReasonOf } from './stop-reason';
import { countsOutput, decodeUsage } from './usage';
import { decodeSearch } from './web-search';

/** Limits the state that one stream can create. */
const MAX_CHOICES = 128;
const MAX_TOOLS = 1_024;

interface DecoderState {
  choices: Choices | undefined;
  blocked: string | undefined;
  closed: boolean;
  outputSeen: boolean;
  /** Sent with each chunk, or with the last. */
  calls: ReportedUnits;
  /** Their units, computed only when a count changes. */
  billed: ReturnType<typeof toolUnits>;
  /** The input count before any output. */
  inputUsage: StreamEvent | undefined;
}

export function createStreamDecoder(): StreamDecoder {
  const reader = createFrameReader(MAX_EVENT_BYTES);
  const decoder: DecoderState = {
    choices: undefined,
    blocked: undefined,
    closed: false,
    outputSeen: false,
    calls: {},
    billed: {},
    inputUsage: undefined,
  };
  return {
    push(bytes) {
      const events: StreamEvent[] = [];
      if (decoder.closed) return events;
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      try {
        reader.push(chunk, (frame) => {
          const json = jsonIn(frame);
          return json === undefined || take(decoder, json, events);
        });
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        events.push(...fail(decoder, invalidAnswer(error.message), 'INVALID_RESPONSE'));
      }
      return events;
    },
    finish() {
      if (decoder.closed) return [];
      const events: StreamEvent[] = [];
      const last = reader.rest();
      // An event without its blank line may be cut; it is complete if it parses.
      if (last !== undefined && parsePiece(last) !== undefined) take(decoder, last, events);
      return decoder.closed ? events : [...events, ...complete(decoder)];
    },
  };
}

function take(decoder: DecoderState, json: string, events: StreamEvent[]): boolean {
  if (json === FOREIGN_END) return true;
  const piece = parsePiece(json);
  if (piece === undefined) {
    events.push(...fail(decoder, invalidAnswer('an event is not JSON'), 'INVALID_RESPONSE'));
  } else if (isErrorEvent(piece)) {
    events.push(...fail(decoder, streamedError(piece), 'UPSTREAM_ERROR'));
  } else takePiece(decoder, piece, events);
  return !decoder.closed;
}

function takePiece(decoder: DecoderState, piece: JsonObject, events: StreamEvent[]): void {
  if (decoder.choices === undefined) {
    events.push(start(piece));
    decoder.choices = createChoices(textOf(piece['responseId']) ?? '');
  }
  decoder.choices.take(arrayOf(piece['candidates']), events);
  decoder.blocked ??= blockReasonIn(piece);
  const before = decoder.calls;
  decoder.calls = mostCalls(decoder.calls, countCalls(piece));
  if (isMore(before, decoder.calls)) {
    decoder.billed = toolUnits(decoder.calls);
    if (decoder.billed.units) events.push({ type: 'units', units: decoder.billed.units });
  }
  decoder.outputSeen ||= events.some(({ type }) => !HIDDEN.has(type));
  const usage = objectOf(piece['usageMetadata']);
  const reported = usage && decodeUsage(usage);
  if (usage === undefined || reported === undefined) return;
  // Counts are running totals, so any may be the last.
  const event: StreamEvent = { type: 'usage', usage: { ...reported, ...decoder.billed } };
  if (countsOutput(usage)) events.push(event);
  else decoder.inputUsage ??= event;
}

function complete(decoder: DecoderState): StreamEvent[] {
  const stops = decoder.choices?.stops(decoder.blocked);
  if (stops === undefined) return fail(decoder, earlyEnd(), 'EARLY_END');
  decoder.closed = true;
  // Zero counts are absent on the wire, so input usage is complete if there was no output.
  const counted =
    decoder.inputUsage === undefined || decoder.outputSeen ? [] : [decoder.inputUsage];
  return [...stops, ...counted, { type: 'end' }];
}

function fail(decoder: DecoderState, error: GatewayError, fault: StreamFault): StreamEvent[] {
  decoder.closed = true;
  return [{ type: 'error', error, fault }];
}

export function parsePiece(json: string): JsonObject | undefined {
  if (json.length > MEASURED_FROM_BYTES && findExcess(Buffer.from(json), EVENT_LIMITS)) {
    return undefined;
  }
  try {
    // Call arguments must keep every digit.
    const value = parseJson(json);
    // A refused stream is a list of one error.
    const [only]: unknown[] = Array.isArray(value) ? value : [value];
    return isObject(only) ? only : undefined;
  } catch {
    return undefined;
  }
}

function start(piece: JsonObject): StreamEvent {
  const usage = objectOf(piece['usageMetadata']);
  const inputUsage = usage && !countsOutput(usage) ? decodeUsage(usage)?.tokens : undefined;
  return {
    type: 'start',
    id: textOf(piece['responseId']) ?? '',
    model: textOf(piece['modelVersion']) ?? '',
    ...present({ createdAtS: createdAt(piece), inputUsage }),
  };
}

const HIDDEN: ReadonlySet<StreamEvent['type']> = new Set(['start', 'units', 'usage']);

function isMore(before: ReportedUnits, now: ReportedUnits): boolean {
  return before.web_search !== now.web_search || before.maps_search !== now.maps_search;
}

interface ChoiceState {
  nameCall: NameCall;
  tools: number;
  finish: string | undefined;
  /** The text so far, which citation offsets refer to. */
  texts: string[];
  /** The last search; later chunks repeat it. */
  search: WebSearchCall | undefined;
}

type Choices = ReturnType<typeof createChoices>;

/** The state of each choice until the stream is complete. */
function createChoices(responseId: string) {
  const states = new Map<number, ChoiceState>();

  function stateOf(choice: number): ChoiceState | undefined {
    const known = states.get(choice);
    if (known !== undefined || states.size >= MAX_CHOICES) return known;
    const nameCall = createCallNamer(responseId, choice);
    const none = { finish: undefined, search: undefined };
    const fresh: ChoiceState = { nameCall, tools: 0, texts: [], ...none };
    states.set(choice, fresh);
    return fresh;
  }

  return {
    take(candidates: unknown[], events: StreamEvent[]): void {
      for (const value of candidates) {
        const candidate = objectOf(value);
        const choice = (candidate && indexOf(candidate)) ?? 0;
        const state = candidate && stateOf(choice);
        if (candidate === undefined || state === undefined) continue;
        decodeCandidate(choice, candidate, state, events);
        state.finish = finishReasonOf(candidate['finishReason']) ?? state.finish;
        state.search = decodeSearch(candidate) ?? state.search;
      }
    },
    /** Undefined until the choice has stopped. A blocked prompt has one empty choice. */
    stops(blocked: string | undefined): StreamEvent[] | undefined {
      if (states.size === 0) {
        const reason = 'content_filter';
        return blocked === undefined
          ? undefined
          : [{ type: 'stop', choice: 0, reason, rawReason: blocked }];
      }
      const stops: StreamEvent[] = [];
      for (const [choice, { finish, search, tools }] of states) {
        const rawReason = finish ?? blocked;
        if (rawReason === undefined) return undefined;
        const reason =
          finish === undefined ? 'content_filter' : decodeStopReason(finish, tools > 0);
        if (search !== undefined) stops.push({ type: 'web_search', choice, search });
        stops.push({ type: 'stop', choice, reason, rawReason });
      }
      return stops;
    },
  };
}

function decodeCandidate(
  choice: number,
  candidate: JsonObject,
  state: ChoiceState,
  events: StreamEvent[],
): void {
  let logprobs = decodeLogprobs(candidate['logprobsResult']);
  for (const value of arrayOf(objectOf(candidate['content'])?.['parts'])) {
    for (const block of decodeAnswerPart(objectOf(value) ?? {}, state.nameCall)) {
      if (block.type !== 'text') {
        events.push(...eventsOf(choice, block, state));
        continue;
      }
      state.texts.push(block.text);
      events.push({ type: 'text', choice, text: block.text, ...present({ logprobs }) });
      logprobs = undefined;
    }
  }
  if (logprobs !== undefined) events.push({ type: 'text', choice, text: '', logprobs });
  for (const citation of decodeCitations(candidate, () => state.texts.join(''))) {
    events.push({ type: 'citation', choice, citation });
  }
}

/** A call arrives complete. */
function eventsOf(choice: number, block: ContentBlock, state: ChoiceState): StreamEvent[] {
  switch (block.type) {
    case 'thinking': {
      const text = block.text || undefined;
      return [{ type: 'thinking', choice, ...present({ text }), ...sealOf(block) }];
    }
    case 'tool_call': {
      if (state.tools >= MAX_TOOLS) return [];
      const tool = state.tools++;
      const { id, kind, name, arguments: text } = block;
      return [
        { type: 'tool_start', choice, tool, kind, id, name },
        { type: 'tool_delta', choice, tool, arguments: text },
      ];
    }
    case 'image':
      return [{ type: 'image', choice, url: block.url }];
    case 'audio':
      return [{ type: 'audio', choice, ...present({ data: block.data }) }];
    default:
      return [];
  }
}
