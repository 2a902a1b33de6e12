'use client';

import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';

import { healthAnswer } from '../../api/health';
import { Card } from '../../design/card';
import { Failure } from '../../design/failure';
import { SkeletonRows } from '../../design/skeleton';
import { showDuration } from '../../format/numbers';

const REFRESH_MS = 15_000;

/** The health of each service and its dependencies. */
export function ServiceHealth() {
  const { data, error, refetch } = useQuery({
    queryKey: ['service-health'],
    queryFn: async ({ signal }) => {
      const answer = await fetch('/admin/health', { signal });
      return healthAnswer.parse(await answer.json());
    },
    refetchInterval: REFRESH_MS,
  });
  return (
    <Card title="Services" flush>
      {error !== null && (
        <div className="p-4">
          <Failure error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {error === null && data === undefined && (
        <SkeletonRows rows={2} label="Loading service health" />
      )}
      {data !== undefined && (
        <ul className="grid gap-px bg-line sm:grid-cols-2">
          {data.services.map(({ name, ok, message, checks }) => (
            <li key={name} className="bg-surface px-4 py-3">
              <p className="flex items-center gap-2 font-medium">
                <Dot ok={ok} />
                {name}
                <span className={clsx('ml-auto text-sm', ok ? 'text-good' : 'text-bad')}>
                  {ok ? 'serving' : 'not serving'}
                </span>
              </p>
              {message !== undefined && <p className="mt-1 text-sm text-bad">{message}</p>}
              <ul className="mt-1 flex flex-wrap gap-x-4 text-sm text-ink-soft">
                {Object.entries(checks).map(([check, { ok, message, latencyMs }]) => (
                  <li key={check} className="flex items-center gap-2">
                    <Dot ok={ok} />
                    {check}
                    <span className="sr-only">{ok ? 'healthy' : 'unhealthy'}</span>
                    <span className="text-ink-faint tabular-nums">
                      {message ?? (latencyMs === undefined ? '' : showDuration(latencyMs))}
                    </span>
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Dot({ ok }: { ok: boolean }) {
  return (
    <span aria-hidden className={clsx('size-2 shrink-0 rounded-full', ok ? 'bg-good' : 'bg-bad')} />
  );
}
