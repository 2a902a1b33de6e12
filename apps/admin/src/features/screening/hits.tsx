'use client';

import { rest } from '@tollgate/contracts';
import Link from 'next/link';
import { useState } from 'react';

import { useRead } from '../../api/provider';
import { Card } from '../../design/card';
import { Failure } from '../../design/failure';
import { SkeletonRows } from '../../design/skeleton';
import { Table, type Column } from '../../design/table';
import { SelectField } from '../../design/text-field';
import { plural, showCount } from '../../format/numbers';
import { useScope } from '../../shell/scope';
import { usageHref } from '../usage/usage-href';
import { hitWords, periodOf, PERIODS, versionWords, type Period } from './hit-words';

type RuleHits = rest.ScreeningHits['rules'][number];

/** What the rules of a policy have found, or would have done. */
export function Hits({ policy }: { policy: rest.ScreeningPolicy }) {
  const { id: screeningPolicyId, organisationId } = policy;
  const [period, setPeriod] = useState<Period>('24h');
  // The instants stay for as long as the period does, so that the answer is read once.
  const [span, setSpan] = useState(() => periodOf(period, Date.now()));
  const [versions, setVersions] = useState<'all' | 'present'>('all');
  const hits = useRead(rest.getScreeningHits, {
    params: { organisationId, screeningPolicyId },
    query: { ...span, ...(versions === 'present' ? { version: policy.version } : {}) },
  });
  const usage = useRead(rest.exploreUsage, {
    params: { organisationId },
    query: { ...span, bucket: 'hour' },
  });
  const requests = usage.data?.totals.requests;
  const columns = useColumns(policy, period, requests);
  const { data } = hits;
  const hint = data?.complete === false ? 'there are more' : undefined;
  return (
    <Card title="Hits" {...(hint === undefined ? {} : { hint })} flush>
      <div className="grid gap-4 p-4 sm:max-w-xl sm:grid-cols-2">
        <SelectField
          label="Period"
          value={period}
          choices={PERIODS}
          onChange={(next) => {
            setPeriod(next);
            setSpan(periodOf(next, Date.now()));
          }}
        />
        <SelectField
          label="Versions"
          value={versions}
          choices={[
            { value: 'all', label: 'All versions' },
            { value: 'present', label: `Version ${String(policy.version)}, the present one` },
          ]}
          onChange={setVersions}
        />
      </div>
      {hits.error !== null && <Failure error={hits.error} />}
      {hits.error === null && data === undefined && <SkeletonRows label="Loading the hits" />}
      {data !== undefined && data.rules.length === 0 && (
        <p className="px-4 pb-4 text-ink-soft">No rule has found anything in this period.</p>
      )}
      {data !== undefined && data.rules.length > 0 && (
        <Table
          caption="Hits by rule"
          columns={columns}
          rows={data.rules}
          keyOf={({ action, ruleId }) => `${ruleId} ${action}`}
        />
      )}
    </Card>
  );
}

function useColumns(
  { identifier, rules }: rest.ScreeningPolicy,
  period: Period,
  requests: number | undefined,
): Column<RuleHits>[] {
  const scope = useScope();
  const hrefOf = (ruleId: string): string =>
    usageHref(scope, { tab: 'requests', range: period, screening: `${identifier}/${ruleId}` });
  return [
    { title: 'Rule', cell: ({ ruleId }) => <code className="font-mono text-sm">{ruleId}</code> },
    {
      title: 'Found',
      cell: ({ action, failed, requests: found, ruleId }) => (
        <>
          <Link href={hrefOf(ruleId)} className="text-accent underline-offset-4 hover:underline">
            {found > 0 || failed === 0
              ? hitWords({ action, found, requests, sample: sampleOf(rules, ruleId) })
              : `${plural(failed, 'request')} undecided`}
          </Link>
          {found > 0 && failed > 0 && (
            <p className="text-bad">{plural(failed, 'request')} undecided</p>
          )}
        </>
      ),
    },
    { title: 'By version', from: 'md', cell: ({ versions }) => versionWords(versions) },
    { title: 'Keys', from: 'md', cell: ({ apiKeys }) => namesOf(apiKeys) },
    { title: 'Teams', from: 'md', cell: ({ teams }) => namesOf(teams) },
  ];
}

/** Of a rule that is gone, 1. */
function sampleOf(rules: rest.ScreeningPolicy['rules'], ruleId: string): number {
  return rules.find(({ id }) => id === ruleId)?.sample ?? 1;
}

/** The first of them, with how many requests each. */
const NAMED = 3;

function namesOf(owners: RuleHits['apiKeys']): string {
  if (owners.length === 0) return '–';
  const named = owners
    .slice(0, NAMED)
    .map(({ name, requests }) => `${name ?? 'none'} (${showCount(requests)})`);
  return [...named, ...(owners.length > NAMED ? ['…'] : [])].join(', ');
}
