'use client';

import { rest } from '@tollgate/contracts';
import { useState } from 'react';

import { useRead } from '../../api/provider';
import { Card } from '../../design/card';
import { Facts } from '../../design/facts';
import { Failure } from '../../design/failure';
import { Skeleton } from '../../design/skeleton';
import { showUsd } from '../../format/money';
import { useMay, useOrganisation } from '../../shell/scope';
import { savedWords } from './saved-words';
import { twoMonths } from './two-months';

type Of = { readonly modelId: string } | { readonly routingPolicyId: string };

/** What a model or a routing policy has cost this month, and what providers' caches and routing saved of it. */
export function SavedCard({ of }: { of: Of }) {
  const { id: organisationId, timeZone } = useOrganisation();
  const [nowMs] = useState(() => Date.now());
  const enabled = useMay('usage.read');
  const { thisFrom, to } = twoMonths(nowMs, timeZone);
  const { data, error, refetch } = useRead(
    rest.exploreUsage,
    { params: { organisationId }, query: { from: thisFrom, to, ...of } },
    { enabled },
  );
  if (!enabled) return null;
  const loading = <Skeleton className="h-5 w-16" />;
  return (
    <Card title="This month">
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && (
        <Facts
          facts={[
            { name: 'Spend', value: data === undefined ? loading : showUsd(data.totals.costUsd) },
            { name: 'Saved', value: data === undefined ? loading : savedWords(data.totals) },
          ]}
        />
      )}
    </Card>
  );
}
