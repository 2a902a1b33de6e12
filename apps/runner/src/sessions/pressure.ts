// Backpressure: while a client does not read, its server is not read either. One client must not stop
// the others of a session for long, so a response that stays full is broken off; its stream can be
// resumed as far as its events are kept.
import type { ServerResponse } from 'node:http';

import type { Channel } from '../channels';

export interface Pressure {
  /** Call it after each write. */
  readonly watch: (response: ServerResponse) => void;
}

/** What a client may leave unread before its server has to wait. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** `patienceMs`: how long a client may keep its server waiting. */
export function createPressure(
  channel: () => Pick<Channel, 'pause' | 'resume'>,
  patienceMs: number,
): Pressure {
  const full = new Set<ServerResponse>();
  return {
    watch: (response) => {
      if (response.writableLength <= MAX_UNREAD_BYTES || full.has(response)) return;
      const timer = setTimeout(() => response.destroy(), patienceMs);
      const done = (): void => {
        clearTimeout(timer);
        response.off('drain', done).off('close', done);
        full.delete(response);
        if (full.size === 0) channel().resume();
      };
      response.once('drain', done).once('close', done);
      if (full.size === 0) channel().pause();
      full.add(response);
    },
  };
}
