// Writes an answer to the client: with backpressure, with comments while a stream is silent, and with an
// end for clients that stop to read.

import type { ServerResponse } from 'node:http';

/** How long a stream is silent before a comment is sent, which proxies take as a sign of life. */
export const KEEP_ALIVE_MS = 15_000;
/** How long a client may leave what was sent to it unread. */
export const STALLED_MS = 60_000;

export interface ClientWriter {
  /** False: pause until `onDrain` is called. */
  write: (parts: readonly Buffer[]) => boolean;
  /** Ends the answer. The text is a whole event, which must not continue one that was cut. */
  end: (event?: string) => void;
  /** Stops the timers; the answer ends otherwise. */
  release: () => void;
}

export interface ClientWriterOptions {
  /** The answer is a stream of events. */
  stream: boolean;
  onDrain: () => void;
}

const COMMENT = ': keep-alive\n';
const LF = 0x0a;

/** Where the last byte of a stream of events stands. */
type Position = 'between events' | 'between lines' | 'in a line';

export function createClientWriter(
  res: ServerResponse,
  { stream, onDrain }: ClientWriterOptions,
): ClientWriter {
  let position: Position = 'between events';
  let stalled: NodeJS.Timeout | undefined;

  const sayAlive = (): void => {
    silence?.refresh();
    // Within a line a comment would be part of it.
    if (stalled !== undefined || position === 'in a line') return;
    res.write(position === 'between events' ? `${COMMENT}\n` : COMMENT);
  };
  const silence = stream ? setInterval(sayAlive, KEEP_ALIVE_MS) : undefined;

  const drained = (): void => {
    clearTimeout(stalled);
    stalled = undefined;
    onDrain();
  };
  res.on('drain', drained);

  return {
    write: (parts) => {
      let more = true;
      for (const part of parts) {
        if (part.length === 0) continue;
        if (stream) position = positionAfter(position, part);
        more = res.write(part);
      }
      silence?.refresh();
      if (!more) stalled ??= setTimeout(() => res.destroy(), STALLED_MS);
      return more;
    },
    end: (event = '') => {
      const before = event === '' || position === 'between events' ? '' : '\n\n';
      res.end(before + event);
    },
    release: () => {
      clearInterval(silence);
      clearTimeout(stalled);
      res.off('drain', drained);
    },
  };
}

/** Lone CRs, which hardly any server sends, count as parts of a line. */
function positionAfter(before: Position, part: Buffer): Position {
  if (part.at(-1) !== LF) return 'in a line';
  const at = part.length - (part.at(-2) === 0x0d ? 3 : 2);
  if (at >= 0) return part[at] === LF ? 'between events' : 'between lines';
  // The part is only a line end.
  return before === 'in a line' ? 'between lines' : 'between events';
}
