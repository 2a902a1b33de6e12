import { z } from 'zod';

/** Answer of `CATALOG_STATE_PATH`: why the catalog cannot serve pages, in a sentence; null while it can. */
export const catalogProblem = z.object({ problem: z.string().nullable() });
export type CatalogProblem = z.output<typeof catalogProblem>;

export const CATALOG_STATE_PATH = '/api/catalog-state';

const TIMEOUT_MS = 4_000;
const SIGNED_OUT = 401;

/** In the browser: why pages cannot be read right now; null if nothing is known to keep them. */
export async function currentProblem(): Promise<string | null> {
  try {
    const answer = await fetch(CATALOG_STATE_PATH, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    // The page itself leads to the sign-in.
    if (answer.status === SIGNED_OUT) return null;
    return catalogProblem.parse(await answer.json()).problem;
  } catch {
    return 'The console cannot be reached.';
  }
}
