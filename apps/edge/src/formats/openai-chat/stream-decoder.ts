// Decodes a streamed chat completion. A choice's `stop` event comes at the end and not at its
// finish_reason, because some servers send text after that.

import type { GatewayError } from '@tollgate/contracts';

import type { StreamDecoder } from '../format';
import { arrayOf, countOf, objectOf, present, textOf } from '../json';
import type { JsonObject, StreamEvent, StreamFault } from '../normalised';
import {
  createEventSplitter,
  MAX_EVENT_BYTES,
  parseEventObject,
  readEvent,
  readRawEvent,
  type RawEvent,
} from '../sse';
import { earlyEnd, invalidAnswer } from '../upstream-error';
import { isErrorEvent, streamedError } from './error';
import { spokenParts } from './parts';
import { createPlainText } from './plain-text';
import { decodeAudio, decodeCitation, imageUrl } from './response';
import { decodeStopReason, stopSequenceIn } from './stop-reason';
import { isTerminal } from './terminal';
import { serverSeal } from './thinking';
import { decodeToolDelta, type ToolCalls } from './tool-deltas';
import { decodeUsage, usageIn } from './usage';

interface ChoiceState extends ToolCalls {
  rawReason: string;
  stopSequence: string | undefined;
  /** Reasoning so far that has no seal yet. */
  thought: string;
}

/** Limits the state that one stream can create. */
const MAX_CHOICES = 128;

export function createStreamDecoder(): StreamDecoder {
  const splitter = createEventSplitter(MAX_EVENT_BYTES);
  const plain = createPlainText();
  const choices = createChoices();
  let usage: StreamEvent | undefined;
  let begun = false;
  let closed = false;

  function fail(error: GatewayError, fault: StreamFault): StreamEvent[] {
    closed = true;
    return [{ type: 'error', error, fault }];
  }

  function take(raw: RawEvent, into: StreamEvent[]): boolean {
    const text = plain.read(raw);
    if (text !== undefined) {
      into.push(text);
      return true;
    }
    const { event, data } = readRawEvent(raw);
    if (data === undefined || data === '') return true;
    if (isTerminal(data)) into.push(...complete());
    else into.push(...takeData(event, data, raw));
    return !closed;
  }

  function takeData(name: string, data: string, raw: RawEvent): StreamEvent[] {
    const chunk = parseEventObject(data);
    if (chunk === undefined) return fail(invalidAnswer('an event is not JSON'), 'INVALID_RESPONSE');
    if (isErrorEvent(name, chunk)) return fail(streamedError(chunk), 'UPSTREAM_ERROR');
    const said = arrayOf(chunk['choices']);
    // A first chunk with filter results has neither an id nor a model.
    if (!begun && said.length === 0 && !chunk['id']) return [];
    const events: StreamEvent[] = begun ? [] : [start(chunk)];
    begun = true;
    choices.take(said, events);
    const reported = decodeUsage(usageIn(chunk, said));
    if (reported === undefined) {
      plain.learn(raw, chunk, events);
      return events;
    }
    usage = { type: 'usage', usage: reported };
    // Usage in an output chunk is running usage: the only usage of a stream that breaks.
    if (said.length > 0) events.push(usage);
    return events;
  }

  function complete(): StreamEvent[] {
    const flaw = choices.flaw();
    if (flaw !== undefined) return fail(invalidAnswer(flaw), 'INVALID_RESPONSE');
    closed = true;
    return [...choices.stops(), ...(usage === undefined ? [] : [usage]), { type: 'end' }];
  }

  return {
    push(bytes) {
      const events: StreamEvent[] = [];
      if (closed) return events;
      try {
        const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        splitter.push(chunk, (raw) => take(raw, events));
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        events.push(...fail(invalidAnswer(error.message), 'INVALID_RESPONSE'));
      }
      return events;
    },
    finish() {
      if (closed) return [];
      const rest = readEvent(splitter.rest().toString('utf8'));
      return isTerminal(rest.data) ? complete() : fail(earlyEnd(), 'EARLY_END');
    },
  };
}

/** The state of each choice until the stream is complete. */
function createChoices() {
  const states = new Map<number, ChoiceState>();

  function stateOf(choice: number): ChoiceState | undefined {
    const known = states.get(choice);
    if (known !== undefined || states.size >= MAX_CHOICES) return known;
    const none = { rawReason: '', stopSequence: undefined, thought: '' };
    const fresh: ChoiceState = { tools: new Map(), numbered: new Map(), ...none };
    states.set(choice, fresh);
    return fresh;
  }

  return {
    take(values: unknown[], events: StreamEvent[]): void {
      for (const value of values) {
        const wire = objectOf(value);
        const choice = countOf(wire?.['index']) ?? 0;
        const state = wire && stateOf(choice);
        if (wire === undefined || state === undefined) continue;
        const delta = objectOf(wire['delta']);
        if (delta !== undefined) {
          decodeDelta(choice, delta, objectOf(wire['logprobs']), state, events);
        }
        state.rawReason = textOf(wire['finish_reason']) ?? state.rawReason;
        state.stopSequence = stopSequenceIn(wire) ?? state.stopSequence;
      }
    },
    /** Why the stream is not a complete answer; undefined if it is. */
    flaw(): string | undefined {
      if (states.size === 0) return 'it holds no choices';
      const tools = [...states.values()].flatMap((state) => [...state.tools.values()]);
      return tools.every((tool) => tool.started) ? undefined : 'a tool call names no tool';
    },
    stops: (): StreamEvent[] =>
      [...states].map(([choice, { tools, rawReason, stopSequence }]) => {
        const reason = decodeStopReason(rawReason, tools.size > 0);
        return { type: 'stop', choice, reason, rawReason, ...present({ stopSequence }) };
      }),
  };
}

function start(chunk: JsonObject): StreamEvent {
  return {
    type: 'start',
    id: textOf(chunk['id']) ?? '',
    model: textOf(chunk['model']) ?? '',
    ...present({
      createdAtS: countOf(chunk['created']),
      serviceTier: textOf(chunk['service_tier']),
      systemFingerprint: textOf(chunk['system_fingerprint']),
    }),
  };
}

function decodeDelta(
  choice: number,
  delta: JsonObject,
  logprobs: JsonObject | undefined,
  state: ChoiceState,
  events: StreamEvent[],
): void {
  const text = textOf(delta['content']);
  // Nearly every chunk takes this path.
  if (text !== undefined && logprobs === undefined && hasOneField(delta)) {
    events.push({ type: 'text', choice, text });
    return;
  }
  decodeThinkingDelta(choice, delta, state, events);
  for (const part of spokenParts(delta['content'])) events.push({ choice, ...part });
  const refusal = textOf(delta['refusal']);
  if (text !== undefined || (logprobs !== undefined && refusal === undefined)) {
    events.push({ type: 'text', choice, text: text ?? '', ...present({ logprobs }) });
  }
  if (refusal !== undefined) {
    const own = text === undefined ? present({ logprobs }) : {};
    events.push({ type: 'refusal', choice, text: refusal, ...own });
  }
  for (const value of arrayOf(delta['annotations'])) {
    const citation = decodeCitation(value);
    if (citation !== undefined) events.push({ type: 'citation', choice, citation });
  }
  for (const value of arrayOf(delta['images'])) {
    const url = imageUrl(value);
    if (url !== undefined) events.push({ type: 'image', choice, url });
  }
  const audio = objectOf(delta['audio']);
  if (audio !== undefined) events.push({ type: 'audio', choice, ...decodeAudio(audio) });
  const calls = arrayOf(delta['tool_calls']);
  for (let position = 0; position < calls.length; position++) {
    const call = objectOf(calls[position]);
    const tool = countOf(call?.['index']) ?? position;
    if (call !== undefined) decodeToolDelta(choice, tool, call, state, events);
  }
  const legacy = objectOf(delta['function_call']);
  if (legacy !== undefined) decodeToolDelta(choice, 0, { function: legacy }, state, events);
}

function hasOneField(object: JsonObject): boolean {
  let fields = 0;
  for (const _ in object) fields += 1;
  return fields === 1;
}

function decodeThinkingDelta(
  choice: number,
  delta: JsonObject,
  state: ChoiceState,
  events: StreamEvent[],
): void {
  const said = textOf(delta['reasoning_content']) ?? textOf(delta['reasoning']);
  if (said !== undefined) {
    state.thought += said;
    events.push({ type: 'thinking', choice, text: said });
  }
  for (const value of arrayOf(delta['thinking_blocks'])) {
    const block = objectOf(value) ?? {};
    const seal = serverSeal(block);
    const isSealed = seal.sealedBy !== undefined;
    const thinking = said === undefined ? textOf(block['thinking']) : undefined;
    // Some servers repeat the whole reasoning with its seal.
    const text = isSealed && thinking === state.thought ? undefined : thinking;
    if (isSealed) state.thought = '';
    const fields = { ...present({ text }), ...seal };
    if (Object.keys(fields).length > 0) events.push({ type: 'thinking', choice, ...fields });
  }
}
