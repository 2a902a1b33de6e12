// Overwrites the provider's keys in an answer that arrives in chunks. The end of a chunk that may start a key is held back
// until the next chunk.

import type { Connection } from '../upstream/connections';
import { maskedKeys, maskKeys } from '../upstream/redact';

export interface KeyMask {
  /** The bytes that may go on. */
  push: (chunk: Buffer) => Buffer;
  /** What still waits. */
  end: () => Buffer;
}

const NOTHING = Buffer.alloc(0);

export function createKeyMask(connection: Pick<Connection, 'secrets' | 'identities'>): KeyMask {
  let waiting = NOTHING;
  return {
    push: (chunk) => {
      // A copy: the upstream's buffer is not ours to change.
      const bytes = Buffer.concat([waiting, chunk]);
      maskKeys(bytes, connection);
      const kept = beginningOfKey(bytes, maskedKeys(connection));
      waiting = bytes.subarray(bytes.length - kept);
      return bytes.subarray(0, bytes.length - kept);
    },
    end: () => {
      const rest = waiting;
      waiting = NOTHING;
      return rest;
    },
  };
}

/** How many bytes at the end are the beginning of a key. */
function beginningOfKey(bytes: Buffer, keys: readonly Buffer[]): number {
  let most = 0;
  for (const key of keys) {
    const [first = -1] = key;
    let at = bytes.indexOf(first, Math.max(0, bytes.length - key.length + 1));
    for (; at >= 0 && bytes.length - at > most; at = bytes.indexOf(first, at + 1)) {
      if (bytes.compare(key, 0, bytes.length - at, at) === 0) most = bytes.length - at;
    }
  }
  return most;
}
