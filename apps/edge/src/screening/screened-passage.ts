// Screens a streamed answer on its way to the client. An event waits only while a text of it may be a part
// of a hit, and those behind it wait with it, so that their order stays.

import type { GatewayError, TokenUsage } from '@tollgate/contracts';
import {
  ANSWER_PLACES,
  type Block,
  type Channel,
  type Piece,
  type Screening,
} from '@tollgate/screening';

import { objectOf } from '../formats/json';
import type { Passage } from '../operations';
import { dropTokens } from './drop-tokens';
import { eventTexts, type EventText } from './event-texts';
import { JSON_TYPE, SSE_TYPE } from './readable';
import { blockedError } from './refusal';
import { whole } from './screen-answer';
import { createArrayEvents, createSseEvents, type StreamEvent } from './stream-events';

/** An error that ends the responses format has the whole output so far. */
function withoutOutput(text: string): string {
  const events = createSseEvents().push(Buffer.from(text));
  const parts = events.map(({ bytes, json, write }) => {
    const response = objectOf(json?.['response']);
    if (!response || !('output' in response)) return bytes;
    response['output'] = [];
    return write();
  });
  return Buffer.concat(parts).toString();
}

/** Beyond this size, waiting events go on; what follows still completes a hit, which is noted. */
const MOST_WAITING_BYTES = 1024 * 1024;

/** The passage itself, if no rule reads its answer. */
export function screenedPassage(screening: Screening | undefined, inner: Passage): Passage {
  if (!screening?.readsAnswer()) return inner;
  const { contentType } = inner;
  const sse = SSE_TYPE.test(contentType);
  // Sound has no text.
  if (!sse && !JSON_TYPE.test(contentType)) return inner;
  const queue = createEventQueue(screening, sse);
  const { report } = inner;
  /** Nothing has arrived since `idle` was called. */
  let quiet = false;
  /**
   * The rule that refuses the answer. The caller that waits for a verdict on the request ends the stream itself;
   * output until then is still counted.
   */
  const refused = (): Block | undefined => {
    const blocked = screening.blocked();
    return blocked && ANSWER_PLACES.includes(blocked.place) ? blocked : undefined;
  };

  const screened = (parts: readonly Buffer[], last: boolean): Buffer[] => {
    const passed = queue.push(parts);
    if (last || report.terminal || report.fault) passed.push(...queue.flush());
    return stopped() ? [] : passed;
  };
  const stopped = (): boolean => {
    const blocked = refused();
    if (!blocked) return false;
    Object.assign(report, { terminal: false, fault: 'ABORTED', error: blockedError(blocked) });
    return true;
  };
  const written = (text: string): string => {
    const parts = [...queue.push([Buffer.from(text)]), ...queue.flush()];
    return stopped() ? '' : Buffer.concat(parts).toString();
  };

  return {
    report,
    ...(inner.output ? { output: inner.output } : {}),
    contentType,
    comment: inner.comment,
    push: (bytes) => {
      quiet = false;
      return refused() ? [] : screened(inner.push(bytes), false);
    },
    finish: (broken) => (refused() ? [] : screened(inner.finish(broken), true)),
    get last() {
      const { last } = inner;
      return last && ((tokens: TokenUsage) => written(last(tokens)));
    },
    get ending() {
      const { ending } = inner;
      if (!ending) return undefined;
      const { cut, fail } = ending;
      return {
        fail: (error: GatewayError) => {
          const text = fail(error);
          // Services have not judged all of the output so far.
          if (!screening.blocked() && !screening.withholdsAnswer()) return written(text);
          return sse ? withoutOutput(text) : text;
        },
        ...(cut ? { cut: (tokens: TokenUsage) => written(cut(tokens)) } : {}),
      };
    },
    withholds: queue.withholds,
    idle: () => {
      const wasQuiet = quiet;
      quiet = true;
      if (!wasQuiet || refused()) return [];
      const passed = queue.idle();
      return stopped() ? [] : passed;
    },
  };
}

/** A text of an event, and what is decided of it. */
export interface PlacedText {
  readonly text: EventText;
  readonly piece: Piece;
}

interface Waiting {
  readonly event: StreamEvent;
  readonly texts: readonly PlacedText[];
}

interface OpenChannel {
  readonly channel: Channel;
  readonly group: string;
  flushed: boolean;
}

function createEventQueue(screening: Screening, sse: boolean) {
  const events = sse ? createSseEvents() : createArrayEvents();
  const channels = new Map<string, OpenChannel>();
  let waiting: Waiting[] = [];
  let waitingBytes = 0;
  let textSent = false;

  const add = (event: StreamEvent): void => {
    if (event.unreadable) screening.unreadable('OUTPUT');
    const { ended, texts } = event.json ? eventTexts(event.json) : NOTHING;
    waiting.push({ event, texts: texts.map((text) => ({ text, piece: pieceOf(text) })) });
    waitingBytes += event.bytes.length;
    for (const group of ended) flushGroup(group, undefined);
  };

  const pieceOf = ({ channel: name, group, kind, text }: EventText): Piece => {
    if (name === undefined) return whole(screening, kind, text);
    // A part's texts follow one another: the one before is complete.
    flushGroup(group, name);
    let open = channels.get(name);
    if (!open) {
      open = { channel: screening.answer(kind), group, flushed: false };
      channels.set(name, open);
    }
    open.flushed = false;
    return open.channel.push(text);
  };

  const flushGroup = (group: string, except: string | undefined): void => {
    for (const [name, open] of channels) {
      if (open.group !== group || name === except || open.flushed) continue;
      open.channel.flush();
      open.flushed = true;
    }
  };

  const release = (): Buffer[] => {
    let count = 0;
    const passed: Buffer[] = [];
    for (const { event, texts } of waiting) {
      if (texts.some(({ piece }) => piece.edited === undefined)) break;
      count += 1;
      waitingBytes -= event.bytes.length;
      if (texts.length > 0) textSent = true;
      passed.push(bytesOf(event, texts));
    }
    if (count > 0) waiting = waiting.slice(count);
    return passed;
  };

  const flush = (): Buffer[] => {
    for (const { channel } of channels.values()) channel.flush();
    return release();
  };

  return {
    push: (parts: readonly Buffer[]): Buffer[] => {
      for (const part of parts) for (const event of events.push(part)) add(event);
      const passed = release();
      return waitingBytes > MOST_WAITING_BYTES ? [...passed, ...flush()] : passed;
    },
    flush: (): Buffer[] => {
      const passed = flush();
      const rest = events.rest();
      return rest.length > 0 ? [...passed, rest] : passed;
    },
    idle: (): Buffer[] => {
      for (const { channel } of channels.values()) channel.idle();
      return release();
    },
    withholds: () => !textSent && waiting.length > 0,
  };
}

const NOTHING = { texts: [], ended: [] };

/** The event with its texts as they go on. */
export function bytesOf(event: StreamEvent, texts: readonly PlacedText[]): Buffer {
  let changed = false;
  for (const { piece, text } of texts) {
    const { edited = piece.text } = piece;
    if (edited === piece.text) continue;
    text.set(edited);
    changed = true;
  }
  if (!changed) return event.bytes;
  dropTokens(event.json);
  return event.write();
}
