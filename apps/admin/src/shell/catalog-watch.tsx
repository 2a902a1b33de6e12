'use client';

import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { CloudOff } from 'lucide-react';
import { useEffect, useState } from 'react';

import { currentProblem } from './catalog-problem';
import { stuckReads } from './stuck-reads';

const LOOK_MS = 500;
const ASK_AGAIN_MS = 2_000;

/**
 * Says within seconds that the catalog does not answer, above a page that shows what it has. Once the catalog
 * answers again, the reads that failed or wait are repeated.
 */
export function CatalogWatch() {
  const problem = useProblem();
  if (problem === null) return null;
  return (
    <div role="alert" className="flex items-center gap-3 bg-warn-soft px-4 py-2.5 sm:px-6 lg:px-8">
      <CloudOff className="size-4 shrink-0 text-warn" aria-hidden />
      <p className="min-w-0 flex-1">
        <span className="font-medium">{problem}</span> The console tries again every two seconds and
        then loads what is missing.
      </p>
    </div>
  );
}

function useProblem(): string | null {
  const queries = useQueryClient();
  const [problem, setProblem] = useState<string | null>(null);

  useEffect(() => {
    const began = new Map<string, number>();
    let known: string | null = null;
    let asking = false;
    let askedAtMs = -Infinity;
    let over = false;

    const look = async (): Promise<void> => {
      const nowMs = performance.now();
      const stuck = stuckReads(activeReads(queries), began, nowMs);
      const inDoubt = stuck.length > 0 || known !== null;
      if (!inDoubt || asking || nowMs - askedAtMs < ASK_AGAIN_MS) return;
      asking = true;
      askedAtMs = nowMs;
      const next = await currentProblem();
      asking = false;
      if (over) return;
      if (known !== null && next === null) await repeatStuck(queries, began);
      known = next;
      setProblem(next);
    };
    const timer = setInterval(() => void look(), LOOK_MS);
    return () => {
      over = true;
      clearInterval(timer);
    };
  }, [queries]);

  return problem;
}

function activeReads(queries: QueryClient) {
  return queries.getQueryCache().findAll({ type: 'active' });
}

/** Also repeats reads that wait for an answer from before the failure, which may never come. */
async function repeatStuck(queries: QueryClient, began: Map<string, number>): Promise<void> {
  const stuck = stuckReads(activeReads(queries), began, Infinity);
  began.clear();
  await Promise.all(
    stuck.map(async ({ queryKey }) => {
      const read = { queryKey, exact: true };
      await queries.cancelQueries(read);
      void queries.refetchQueries(read);
    }),
  );
}
