'use client';

import { rest } from '@tollgate/contracts';
import Link from 'next/link';
import { useState } from 'react';

import { useRead } from '../../api/provider';
import { Badge } from '../../design/badge';
import { Card } from '../../design/card';
import { Facts } from '../../design/facts';
import { Failure } from '../../design/failure';
import { Skeleton } from '../../design/skeleton';
import { plural, showCount, showDuration, showPart } from '../../format/numbers';
import { pageOf, withQuery } from '../../shell/paths';
import { useOrganisation, useScope } from '../../shell/scope';
import { lastDay } from '../usage/last-day';
import { healthOf, type Health } from './health-of';

// The health of providers from all requests of the last 24 hours, routed or not.

const REFRESH_MS = 30_000;

/** Undefined while it loads. Components of one page share the queries. */
function useHealth(providerId: string) {
  const { id: organisationId } = useOrganisation();
  const [nowMs] = useState(() => Date.now());
  const day = lastDay(nowMs);
  const params = { organisationId };
  const live = { refreshMs: REFRESH_MS };
  const used = useRead(
    rest.exploreUsage,
    {
      params,
      query: {
        ...day,
        bucket: 'hour',
        groupBy: 'provider',
        latency: 'true',
        orderBy: 'requests',
        top: rest.EXPLORER_TOP,
      },
    },
    live,
  );
  const refused = useRead(
    rest.listRefusedRequests,
    { params, query: { ...day, sort: '-count', limit: rest.PAGE_LIMIT } },
    live,
  );
  return {
    error: used.error ?? refused.error,
    refetch: () => Promise.all([used.refetch(), refused.refetch()]),
    health:
      used.data === undefined || refused.data === undefined
        ? undefined
        : healthOf(providerId, used.data, refused.data.data),
  };
}

/** For a list: how many requests failed, and how long they took. */
export function HealthLine({ providerId }: { providerId: string }) {
  const { health, error } = useHealth(providerId);
  if (error !== null) return <span title={error.message}>—</span>;
  if (health === undefined) return <Skeleton className="h-4 w-20" />;
  if (health.requests === 0 && health.refused === 0) {
    return <span className="text-ink-faint">no requests</span>;
  }
  return (
    <span className="text-sm tabular-nums">
      <ErrorRate health={health} />
      {health.p95Ms !== null && (
        <span className="block text-ink-faint">{showDuration(health.p95Ms)} p95</span>
      )}
    </span>
  );
}

const MANY = 0.05;

function ErrorRate({ health: { requests, errors, refused } }: { health: Health }) {
  const words = `${showPart(errors / Math.max(1, requests))} errors`;
  if (requests > 0 && errors / requests >= MANY) return <Badge tone="bad">{words}</Badge>;
  return requests === 0 ? <Badge tone="bad">{plural(refused, 'refusal')}</Badge> : words;
}

/** For a provider's page. */
export function HealthCard({ providerId }: { providerId: string }) {
  const scope = useScope();
  const { health, error, refetch } = useHealth(providerId);
  const duration = (ms: number | null): string => (ms === null ? '—' : showDuration(ms));
  return (
    <Card title="All requests" hint="of the last 24 hours, routed or not">
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && health === undefined && <Skeleton className="h-12" />}
      {error === null && health !== undefined && (
        <Facts
          facts={[
            { name: 'Requests', value: showCount(health.requests) },
            {
              name: 'Failed',
              value:
                health.requests === 0
                  ? '—'
                  : `${showCount(health.errors)} (${showPart(health.errors / health.requests)})`,
            },
            { name: 'Latency, half within', value: duration(health.p50Ms) },
            { name: 'Latency, 95 % within', value: duration(health.p95Ms) },
            {
              name: 'Ended with an error code',
              value: (
                <Link
                  href={withQuery(pageOf(scope, 'refusals'), { providerId })}
                  className="text-accent underline-offset-4 hover:underline"
                >
                  {plural(health.refused, 'request')}
                </Link>
              ),
            },
          ]}
        />
      )}
    </Card>
  );
}
