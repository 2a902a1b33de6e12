import { rest } from '@tollgate/contracts';
import { singleFlight, type Clock } from '@tollgate/kit';

import { healthBody } from '../api/health';
import type { CatalogProblem } from '../shell/catalog-problem';

/** Browsers ask every few seconds; the catalog is asked at most this often. */
const KNOWN_FOR_MS = 1_000;
const TIMEOUT_MS = 2_000;
/** The catalog accepts connections, and answers nothing. */
export const SILENT = 'The catalog does not answer.';

export interface CatalogState {
  /** Why the catalog cannot serve pages right now. Never throws. */
  readonly ask: () => Promise<CatalogProblem>;
  /** Whether the newest answer was that the catalog does not answer. Does not wait: it asks again in the background. */
  readonly isSilent: () => boolean;
}

export function createCatalogState(catalogUrl: string, clock: Clock): CatalogState {
  const url = new URL(rest.getHealth.path, catalogUrl).href;
  const once = singleFlight<CatalogProblem>();
  let known: { answer: CatalogProblem; atMs: number } | undefined;

  const ask = (): Promise<CatalogProblem> => {
    if (known !== undefined && clock.now() - known.atMs < KNOWN_FOR_MS) {
      return Promise.resolve(known.answer);
    }
    return once('catalog', async () => {
      const answer = await askHealth(url);
      known = { answer, atMs: clock.now() };
      return answer;
    });
  };
  return {
    ask,
    isSilent: () => {
      if (known?.answer.problem !== SILENT) return false;
      void ask();
      return true;
    },
  };
}

async function askHealth(url: string): Promise<CatalogProblem> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const answer = await fetch(url, { signal, cache: 'no-store' });
    if (answer.ok) return { problem: null };
    const { checks } = healthBody.parse(await answer.json());
    const failed = Object.keys(checks).filter((name) => checks[name]?.ok === false);
    return { problem: `The catalog cannot reach its ${failed.join(', ') || 'dependencies'}.` };
  } catch {
    return { problem: signal.aborted ? SILENT : 'The catalog cannot be reached.' };
  }
}
