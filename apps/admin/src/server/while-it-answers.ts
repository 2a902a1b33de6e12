import { setTimeout as sleep } from 'node:timers/promises';

import type { SendToCatalog } from './catalog';
import { SILENT, type CatalogState } from './catalog-state';

/** A read that takes longer raises the question whether the catalog answers at all. */
const DOUBT_MS = 1_000;

/**
 * Gives reads up once the catalog is known not to answer, and sends none while that is so. A browser has six
 * connections to the console: reads that wait for a frozen catalog would occupy all of them, and no page could
 * say why.
 */
export function whileItAnswers(
  send: SendToCatalog,
  catalogState: CatalogState,
  pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms, undefined, { ref: false }),
): SendToCatalog {
  return async (request) => {
    if (request.method !== 'GET') return send(request);
    if (catalogState.isSilent()) throw new Error(SILENT);
    const sent = send(request);
    const ended = sent.then(
      () => 'ended' as const,
      () => 'ended' as const,
    );
    for (;;) {
      const first = await Promise.race([ended, pause(DOUBT_MS)]);
      if (first === 'ended') return sent;
      const state = await Promise.race([ended, catalogState.ask()]);
      if (state === 'ended') return sent;
      if (state.problem !== null) throw new Error(state.problem);
    }
  };
}
