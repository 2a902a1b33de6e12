import { type GatewayError, tokensIn, tokensOut, type TokenUsage } from '@tollgate/contracts';
import {
  createRestorer,
  createStreamMeter,
  type AnswerChanges,
  type Format,
  type ReplyContext,
  type StreamEnding,
  type StreamEvent,
  type StreamReport,
} from '../formats';
import { createRenamer, type Renamer } from '../formats/model-name';
import type { Passage } from './job';

export type PassageOptions = {
  /** How many answers are generated. */
  choices: number;
  /** The client asked for counts with every piece of output. */
  runningUsage: boolean;
  /** What the answer is given back without. */
  changes?: AnswerChanges | undefined;
};

/**
 * What a conversation's stream goes through on its way to the client. A stream that is in the
 * client's format already is only watched.
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
    kept: tap.kept,
    push: (bytes) => rename(tap.push(bytes)),
    finish: () => rename(tap.finish()),
    ending: tap.ending
      ? renamedEnding(tap.ending, rename)
      : freshEnding(client, context, choices, tap.report),
    contentType: client.streamContentType,
    comment: (text) => client.encodeComment(text),
  };
}

/** A tap repeats what the upstream has said, its name for the model included. */
function renamedEnding(ending: StreamEnding, rename: Renamer): StreamEnding {
  const renamed = (text: string): string => Buffer.concat(rename([Buffer.from(text)])).toString();
  return {
    fail: (error) => renamed(ending.fail(error)),
    cut: (tokens) => renamed(ending.cut(tokens)),
  };
}

type Writer = Pick<
  Format,
  'createStreamEncoder' | 'encodeStreamError' | 'encodeComment' | 'streamContentType'
>;

/** A stream read in one format and written in another, under the interface of a watched one. */
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

  /** The end is there, and waits to be written until the usage is known. */
  let waits = false;

  // The encoder has told the client that there is no whole answer; so does the record.
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
      // The relay writes errors, as it does for streams that are passed on.
      if (event.type === 'error') break;
      for (const given of restorer?.restore(event) ?? [event]) {
        if (given.type !== 'end') text += encoder.encode(given);
        else if (meter.report.usage) last = encoder.encode(given);
        else waits = true;
      }
      if (hasFailed()) break;
    }
    const parts: Buffer[] = [];
    if (text !== '') parts.push(Buffer.from(text));
    // The terminal event stands alone, so that something may be said before it.
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
    kept: meter.kept,
    get last() {
      return waits ? end : undefined;
    },
    push: (bytes) => write(decoder.push(bytes)),
    finish: () => write(decoder.finish()),
    // The encoder that wrote the stream so far knows what is open in it.
    ending: {
      fail: (error) => encoder.encode({ type: 'error', error, fault: 'UPSTREAM_ERROR' }),
      cut: (tokens) => atBound(encoder, choices, tokens),
    },
    contentType: client.streamContentType,
    comment: (text) => client.encodeComment(text),
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

/** For formats whose streams end alike whatever was sent before. */
function freshEnding(
  client: Format,
  context: ReplyContext,
  choices: number,
  report: StreamReport,
): StreamEnding {
  return {
    fail: (error: GatewayError) => client.encodeStreamError(error, context),
    cut: (tokens) => {
      const encoder = client.createStreamEncoder(context);
      // Makes the encoder know the answer; the client has had its beginning already.
      encoder.encode({
        type: 'start',
        id: report.responseId ?? '',
        model: report.model ?? '',
        createdAtS: context.createdAtS,
      });
      for (let choice = 1; choice < choices; choice += 1) {
        encoder.encode({ type: 'text', choice, text: '' });
      }
      return atBound(encoder, choices, tokens);
    },
  };
}
