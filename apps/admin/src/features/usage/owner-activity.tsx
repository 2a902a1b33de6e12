'use client';

import { rest } from '@tollgate/contracts';
import Link from 'next/link';
import { useState, type ReactNode } from 'react';

import { useRead } from '../../api/provider';
import { Card } from '../../design/card';
import { Facts, type Fact } from '../../design/facts';
import { Failure } from '../../design/failure';
import { Skeleton } from '../../design/skeleton';
import { When } from '../../design/when';
import { showUsd, usdAsNumber } from '../../format/money';
import { plural, showCount } from '../../format/numbers';
import { pageOf, withQuery } from '../../shell/paths';
import { useOrganisation, useScope } from '../../shell/scope';
import { changeOf } from './compare';
import { savedWords } from './saved-words';
import { monthSums, twoMonths } from './two-months';
import { usageHref } from './usage-href';

export type Owner =
  { readonly teamId: string } | { readonly userId: string } | { readonly apiKeyId: string };

/** What a team, a user or a key has spent, when it was last used, and its keys. */
export function OwnerActivity({ of }: { of: Owner }) {
  const { id: organisationId, timeZone } = useOrganisation();
  const scope = useScope();
  const [nowMs] = useState(() => Date.now());
  const months = twoMonths(nowMs, timeZone);
  const params = { organisationId };
  const span = { from: months.lastFrom, to: months.to, bucket: 'month' } as const;
  const spend = useRead(rest.exploreUsage, { params, query: { ...span, ...of } });
  const latest = useRead(rest.listUsageRecords, { params, query: { ...of, limit: 1 } });
  const failed = [spend, latest].find(({ error }) => error !== null);
  const sums = spend.data && monthSums(months, spend.data.series);
  const record = latest.data?.data[0];
  const usage = usageHref(scope, { ...of, range: '30d' });
  const requests = usageHref(scope, { ...of, tab: 'requests' });
  return (
    <Card title="Activity">
      {failed?.error && (
        <Failure
          error={failed.error}
          onRetry={() => void Promise.all([spend.refetch(), latest.refetch()])}
        />
      )}
      {failed === undefined && (
        <Facts
          facts={[
            {
              name: 'Spend this month',
              value: sums && (
                <>
                  <Onward href={usage}>{showUsd(sums.now.costUsd)}</Onward>{' '}
                  <span className="text-sm text-ink-faint">{compared(sums)}</span>
                </>
              ),
            },
            {
              name: 'Spend last month',
              value: sums && showUsd(sums.last.costUsd),
            },
            {
              name: 'Requests this month',
              value: sums && <Onward href={requests}>{showCount(sums.now.requests)}</Onward>,
            },
            { name: 'Saved this month', value: sums && savedWords(sums.now) },
            {
              name: 'Last request',
              value: latest.data && (
                <>
                  {record === undefined ? (
                    'No request in the stored records'
                  ) : (
                    <Onward href={pageOf(scope, `usage/${record.id}`)}>
                      <When instant={record.authorisedAt} timeZone={timeZone} format="moment" />
                    </Onward>
                  )}
                </>
              ),
            },
            ...('apiKeyId' in of ? [] : [{ name: 'Active keys', value: <ActiveKeys of={of} /> }]),
          ].map(orLoading)}
        />
      )}
    </Card>
  );
}

function ActiveKeys({ of }: { of: Exclude<Owner, { readonly apiKeyId: string }> }) {
  const { id: organisationId } = useOrganisation();
  const scope = useScope();
  const { data, error } = useRead(rest.listApiKeys, {
    params: { organisationId },
    query: { ...of, status: 'ACTIVE', limit: 50 },
  });
  if (error !== null) return <span title={error.message}>—</span>;
  if (data === undefined) return <Skeleton className="h-5 w-16" />;
  const { length } = data.data;
  const href = withQuery(pageOf(scope, 'apikeys'), { ...of, status: 'ACTIVE' });
  return (
    <Onward href={href}>
      {data.nextCursor === null ? plural(length, 'key') : `more than ${showCount(length)} keys`}
    </Onward>
  );
}

const orLoading = ({ name, value }: Fact): Fact => ({
  name,
  value: value ?? <Skeleton className="h-5 w-16" />,
});

/** This month is not over, so a lower sum says nothing. Only a higher one is shown. */
function compared({ now, last }: ReturnType<typeof monthSums>): string {
  if (now.requests > 0 && usdAsNumber(last.costUsd) === 0) return 'nothing last month';
  const { direction, words } = changeOf(usdAsNumber(now.costUsd), usdAsNumber(last.costUsd));
  return direction === 'up' ? `${words} compared with all of last month` : '';
}

function Onward({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} className="text-accent underline-offset-4 hover:underline">
      {children}
    </Link>
  );
}
