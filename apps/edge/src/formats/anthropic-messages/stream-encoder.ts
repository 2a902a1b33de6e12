// Encodes a streamed message. Hub events may come in any order; here one block is open at a time,
// each delta must be of its block's kind, and usage comes at the end. Constant text is serialised
// once, because this runs for every token.

import { emptyUsage, GatewayError, type TokenUsage } from '@tollgate/contracts';

import type { ReplyContext, StreamEncoder } from '../format';
import type { ReportedUsage, StreamEvent } from '../normalised';
import { createBlockWriter, type EventOf, type Spoken, type ToolEvent } from './block-writer';
import { encodeStreamError } from './error';
import { writeEvent } from './events';
import { encodeEnvelope } from './response';
import { encodeStop, stopShown } from './stop-reason';
import { encodeUsage } from './usage';

type Start = EventOf<'start'>;

export function createStreamEncoder(context: ReplyContext): StreamEncoder {
  const stops = context.request?.sampling.stop ?? [];
  const writer = createBlockWriter(longest(stops));
  let begun: Start | undefined;
  let usage: ReportedUsage | undefined;
  let stop: EventOf<'stop'> | undefined;
  let refuses = false;
  let over = false;
  let failure: GatewayError | undefined;
  // Blocks cannot be interleaved: while a call is incomplete, events for other blocks wait.
  let waiting: (ToolEvent | Spoken)[] = [];

  function begin(start: Start): string {
    begun = start;
    const message = {
      ...encodeEnvelope(start.id, context),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      usage: encodeUsage(start.inputUsage ?? estimatedInput(context), {
        serviceTier: start.serviceTier,
      }),
    };
    return writeEvent('message_start', { message });
  }

  function place(event: ToolEvent | Spoken): string {
    if (waiting.length > 0 || !writer.hasRoomFor(event)) {
      if (!writer.isOpen(event)) {
        waiting.push(event);
        return '';
      }
    }
    return writer.write(event);
  }

  /** Writes the waiting events, block by block. */
  function release(): string {
    const groups = Map.groupBy(waiting, (event) => ('tool' in event ? event.tool : event.type));
    waiting = [];
    let text = '';
    for (const events of groups.values()) for (const event of events) text += writer.write(event);
    return text;
  }

  function end(): string {
    if (stop?.reason === 'length') writer.cutOff();
    const text = release() + writer.close();
    const tokens = usage?.tokens ?? context.estimatedUsage ?? emptyUsage();
    const { callsTools } = writer;
    const stopSequence = stop?.stopSequence ?? stopShown(writer.tail, stops);
    const ended = encodeStop(stop?.reason ?? 'other', { callsTools, refuses, stopSequence });
    const delta = { ...ended, container: null };
    const took = encodeUsage(tokens, { units: usage?.units });
    return `${text}${writeEvent('message_delta', { delta, usage: took })}${writeEvent('message_stop')}`;
  }

  function encode(event: StreamEvent): string {
    switch (event.type) {
      case 'start':
        return begin(event);
      case 'stop':
        // The format has one choice; of several, the first one counts.
        if (event.choice === 0) stop = event;
        return '';
      case 'usage':
        usage = event.usage;
        return '';
      case 'units':
        return '';
      case 'end':
        return end();
      case 'error':
        return encodeStreamError(event.error, context);
      default:
        if (event.choice !== 0) return '';
        refuses ||= event.type === 'refusal';
        return place(event);
    }
  }

  return {
    encode(event) {
      if (over) return '';
      try {
        const first = begun === undefined && event.type !== 'start' && event.type !== 'error';
        const text = first
          ? begin({ type: 'start', id: '', model: '' }) + encode(event)
          : encode(event);
        over = event.type === 'end' || event.type === 'error';
        return text;
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        // A broken call must not be closed: clients would run it without arguments.
        over = true;
        failure = error;
        return encodeStreamError(error, context);
      }
    },
    get failure() {
      return failure;
    },
  };
}

/**
 * Clients show input usage before the first token, but the upstream may report it at the end only.
 */
function estimatedInput({ inputTokensEstimate = 0 }: ReplyContext): TokenUsage {
  return { ...emptyUsage(), input: inputTokensEstimate };
}

function longest(texts: readonly string[]): number {
  return texts.reduce((most, { length }) => Math.max(most, length), 0);
}
