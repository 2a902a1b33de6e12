import { tokensIn, tokensOut, type GatewayError, type TokenUsage } from '@tollgate/contracts';

import {
  createRestorer,
  createStreamMeter,
  type AnswerChanges,
  type Format,
  type ReplyContext,
  type StreamEnding,
  type StreamEvent,
  type StreamReport,
  type UsageTap,
} from '../formats';
import { failedAnswer } from '../formats/failed-answer';
import { createRenamer, type Renamer } from '../formats/model-name';
import type { Passage } from './job';

export interface PassageOptions {
  /** The number of generated answers. */
  choices: number;
  /** The client asked for usage with every piece of output. */
  runningUsage: boolean;
  /** Changes to the request that must be undone in the answer. */
  changes?: AnswerChanges | undefined;
}

/**
 * Transforms a conversation's stream on its way to the client. A stream in the client's own format
 * is only observed.
 */
export function createPassage(
  client: Format,
  upstream: Format,
  context: ReplyContext,
  { changes, choices, runningUsage }: PassageOptions,
): Passage {
  if (client.streamsAs !== upstream.streamsAs || changes !== undefined) {
    return createTranslation(client, upstream, context, { choices, changes });
  }
  const tap = client.createUsageTap({
    stripUsage: !context.includeUsage,
    stripRunningUsage: !runningUsage,
  });
  const rename = createRenamer(client.name, context.model);
  return {
    report: tap.report,
    output: tap.output,
    push: (bytes) => rename(tap.push(bytes)),
    finish: () => rename(tap.finish()),
    ending: tap.ending
      ? renamedEnding(tap.ending, rename)
      : freshEnding(client, context, choices, tap),
    contentType: client.streamContentType,
    comment: (text) => client.encodeComment(text),
  };
}

/** The tap's endings repeat the upstream's model name, so they are renamed too. */
function renamedEnding(ending: StreamEnding, rename: Renamer): StreamEnding {
  const renamed = (text: string): string => Buffer.concat(rename([Buffer.from(text)])).toString();
  return {
    fail: (error) => renamed(ending.fail(error)),
    cut: (tokens) => renamed(ending.cut(tokens)),
  };
}

type Writer = Pick<
  Format,
  | 'createStreamEncoder'
  | 'encodeStreamError'
  | 'encodeComment'
  | 'streamContentType'
  | 'tellsFailure'
>;

/** Translates a stream between two formats, with the same interface as an observed one. */
export function createTranslation(
  client: Writer,
  upstream: Pick<Format, 'createStreamDecoder'>,
  context: ReplyContext,
  { changes, choices = 1 }: Partial<PassageOptions> = {},
): Passage {
  const decoder = upstream.createStreamDecoder();
  const restorer = changes && createRestorer(changes);
  const encoder = client.createStreamEncoder(context);
  const meter = createStreamMeter();
  const stops = createStops(client, meter.report);

  /** The end has arrived, but is written only once the usage is known. */
  let waits = false;

  // If the encoder ended the stream with an error, the record says so too.
  const hasFailed = (): boolean => {
    const error = encoder.failure;
    if (error) Object.assign(meter.report, { terminal: false, fault: 'INVALID_RESPONSE', error });
    return error !== undefined;
  };

  const write = (events: readonly StreamEvent[]): Buffer[] => {
    let text = '';
    let last = '';
    for (const event of events) {
      meter.see(event);
      // The caller writes errors, as it does for relayed streams.
      if (event.type === 'error') break;
      const told = stops.take(event);
      for (const given of restorer ? told.flatMap((one) => restorer.restore(one)) : told) {
        if (given.type !== 'end') text += encoder.encode(given);
        else if (meter.report.usage) last = encoder.encode(given);
        else waits = true;
      }
      if (hasFailed() || stops.haveFailed()) break;
    }
    const parts: Buffer[] = [];
    if (text !== '') parts.push(Buffer.from(text));
    // The terminal event is a part of its own, so that a comment can be inserted before it.
    if (last !== '') parts.push(Buffer.from(last));
    return parts;
  };

  const end = (tokens: TokenUsage): string => {
    const text = encoder.encode(usageOf(tokens)) + encoder.encode({ type: 'end' });
    hasFailed();
    return text;
  };

  return {
    report: meter.report,
    output: meter.output,
    get last() {
      return waits ? end : undefined;
    },
    push: (bytes) => write(decoder.push(bytes)),
    finish: () => write(decoder.finish()),
    // The encoder that wrote the stream knows which parts of it are open.
    ending: {
      // A stream may be refused when its end is written and not yet sent.
      fail: (error) =>
        encoder.encode({ type: 'error', error, fault: 'UPSTREAM_ERROR' }) ||
        client.encodeStreamError(error, context),
      cut: (tokens) => atBound(encoder, choices, tokens),
    },
    contentType: client.streamContentType,
    comment: (text) => client.encodeComment(text),
  };
}

/**
 * Holds the stops of choices that failed until the end. If no choice has stopped otherwise, the stream has failed.
 * Formats with a word for that need it only where there is no output.
 */
function createStops({ tellsFailure }: Pick<Format, 'tellsFailure'>, report: StreamReport) {
  const held: Extract<StreamEvent, { type: 'stop' }>[] = [];
  let othersStopped = false;
  let failed = false;

  function hold(stop: Extract<StreamEvent, { type: 'stop' }>): StreamEvent[] {
    const told = stop.reason !== 'error' || (tellsFailure && report.outputSeen);
    if (!told) held.push(stop);
    else othersStopped = true;
    return told ? [stop] : [];
  }

  function end(event: StreamEvent): StreamEvent[] {
    const [stop] = held;
    if (stop === undefined || othersStopped) return [...held, event];
    failed = true;
    const error = failedAnswer(stop.rawReason);
    Object.assign(report, { terminal: false, fault: 'UPSTREAM_ERROR', error });
    return [];
  }

  return {
    /** The events to write in its place. */
    take(event: StreamEvent): StreamEvent[] {
      if (event.type === 'stop') return hold(event);
      return event.type === 'end' ? end(event) : [event];
    },
    haveFailed: () => failed,
  };
}

type Encoder = ReturnType<Format['createStreamEncoder']>;

function atBound(encoder: Encoder, choices: number, tokens: TokenUsage): string {
  let text = '';
  for (let choice = 0; choice < choices; choice += 1) {
    text += encoder.encode({ type: 'stop', choice, reason: 'length', rawReason: 'length' });
  }
  return `${text}${encoder.encode(usageOf(tokens))}${encoder.encode({ type: 'end' })}`;
}

function usageOf(tokens: TokenUsage): StreamEvent {
  const usage = { tokens, inputTokens: tokensIn(tokens), outputTokens: tokensOut(tokens) };
  return { type: 'usage', usage };
}

/** For formats whose streams end the same way, whatever came before. */
function freshEnding(
  client: Format,
  context: ReplyContext,
  choices: number,
  { closeOpen, report }: Pick<UsageTap, 'closeOpen' | 'report'>,
): StreamEnding {
  return {
    fail: (error: GatewayError) => client.encodeStreamError(error, context),
    cut: (tokens) => {
      const encoder = client.createStreamEncoder(context);
      // Gives the encoder its initial state; the client already has the start of the stream.
      encoder.encode({
        type: 'start',
        id: report.responseId ?? '',
        model: report.model ?? '',
        createdAtS: context.createdAtS,
      });
      for (let choice = 1; choice < choices; choice += 1) {
        encoder.encode({ type: 'text', choice, text: '' });
      }
      return `${closeOpen?.() ?? ''}${atBound(encoder, choices, tokens)}`;
    },
  };
}
