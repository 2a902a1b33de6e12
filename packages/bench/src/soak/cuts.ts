import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';

import { STREAM } from '../gateway/scenarios';
import type { Target } from '../gateway/target';

/**
 * Streams whose client disconnects midway, one after another, for a number of seconds. Returns
 * their number.
 */
export async function leaveStreams(
  { url, headers }: Target,
  { seconds, everyMs }: { readonly seconds: number; readonly everyMs: number },
): Promise<number> {
  const pool = new Pool(url, { connections: 1, pipelining: 1 });
  const untilMs = performance.now() + seconds * 1_000;
  let left = 0;
  try {
    while (performance.now() < untilMs) {
      const { body } = await pool.request({
        path: STREAM.path,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: STREAM.body,
      });
      // Leaving the iterator destroys the answer and its connection.
      for await (const _part of body) break;
      left += 1;
      await pause(everyMs);
    }
  } finally {
    await pool.destroy();
  }
  return left;
}
