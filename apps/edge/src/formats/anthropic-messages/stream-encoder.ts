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

interface EncoderState {
  readonly context: ReplyContext;
  readonly stops: readonly string[];
  readonly writer: ReturnType<typeof createBlockWriter>;
  begun: Start | undefined;
  usage: ReportedUsage | undefined;
  stop: EventOf<'stop'> | undefined;
  refuses: boolean;
  /** Blocks cannot be interleaved: while a call is incomplete, events for other blocks wait. */
  waiting: (ToolEvent | Spoken)[];
}

export function createStreamEncoder(context: ReplyContext): StreamEncoder {
  const stops = context.request?.sampling.stop ?? [];
  const encoder: EncoderState = {
    context,
    stops,
    writer: createBlockWriter(longest(stops)),
    begun: undefined,
    usage: undefined,
    stop: undefined,
    refuses: false,
    waiting: [],
  };
  let over = false;
  let failure: GatewayError | undefined;
  return {
    encode(event) {
      if (over) return '';
      try {
        const first =
          encoder.begun === undefined && event.type !== 'start' && event.type !== 'error';
        const text = first
          ? begin(encoder, { type: 'start', id: '', model: '' }) + encode(encoder, event)
          : encode(encoder, event);
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

function begin(encoder: EncoderState, start: Start): string {
  encoder.begun = start;
  const message = {
    ...encodeEnvelope(start.id, encoder.context),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: encodeUsage(start.inputUsage ?? estimatedInput(encoder.context), {
      serviceTier: start.serviceTier,
    }),
  };
  return writeEvent('message_start', { message });
}

function place(encoder: EncoderState, event: ToolEvent | Spoken): string {
  if (encoder.waiting.length > 0 || !encoder.writer.hasRoomFor(event)) {
    if (!encoder.writer.isOpen(event)) {
      encoder.waiting.push(event);
      return '';
    }
  }
  return encoder.writer.write(event);
}

/** Writes the waiting events, block by block. */
function release(encoder: EncoderState): string {
  const groups = Map.groupBy(encoder.waiting, (event) =>
    'tool' in event ? event.tool : event.type,
  );
  encoder.waiting = [];
  let text = '';
  for (const events of groups.values())
    for (const event of events) text += encoder.writer.write(event);
  return text;
}

function end(encoder: EncoderState): string {
  if (encoder.stop?.reason === 'length') encoder.writer.cutOff();
  const text = release(encoder) + encoder.writer.close();
  const tokens = encoder.usage?.tokens ?? encoder.context.estimatedUsage ?? emptyUsage();
  const { callsTools } = encoder.writer;
  const stopSequence = encoder.stop?.stopSequence ?? stopShown(encoder.writer.tail, encoder.stops);
  const ended = encodeStop(encoder.stop?.reason ?? 'other', {
    callsTools,
    refuses: encoder.refuses,
    stopSequence,
  });
  const delta = { ...ended, container: null };
  const took = encodeUsage(tokens, { units: encoder.usage?.units });
  return `${text}${writeEvent('message_delta', { delta, usage: took })}${writeEvent('message_stop')}`;
}

function encode(encoder: EncoderState, event: StreamEvent): string {
  switch (event.type) {
    case 'start':
      return begin(encoder, event);
    case 'stop':
      // The format has one choice; of several, the first one counts.
      if (event.choice === 0) encoder.stop = event;
      return '';
    case 'usage':
      encoder.usage = event.usage;
      return '';
    case 'units':
      return '';
    case 'end':
      return end(encoder);
    case 'error':
      return encodeStreamError(event.error, encoder.context);
    default:
      if (event.choice !== 0) return '';
      encoder.refuses ||= event.type === 'refusal';
      return place(encoder, event);
  }
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
