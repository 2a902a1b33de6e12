'use client';

import { rest } from '@tollgate/contracts';
import Link from 'next/link';
import { useState } from 'react';

import { useRead } from '../../api/provider';
import { Card } from '../../design/card';
import { Failure } from '../../design/failure';
import { Segmented } from '../../design/segmented';
import { Table, type Column } from '../../design/table';
import { showCost } from '../../format/money';
import { showCount, showPart } from '../../format/numbers';
import { useOrganisation, useScope } from '../../shell/scope';
import { usageHref } from '../usage/usage-href';
import { Errors, percentiles } from './figures';
import { ShadowComparison } from './shadow-comparison';

/** Days before now. 30 days is the API's default, which the page has already loaded. */
const SPANS = [
  { value: '1', label: '24 h' },
  { value: '7', label: '7 d' },
  { value: '30', label: '30 d' },
  { value: '90', label: '90 d' },
] as const;
type Days = (typeof SPANS)[number]['value'];
const DAY_MS = 86_400_000;

/** Requests, errors, latency, tokens and cost of each arm. */
export function Comparison({ experimentId }: { readonly experimentId: string }) {
  const { id: organisationId } = useOrganisation();
  const [days, setDays] = useState<Days>('30');
  const [nowMs] = useState(() => Date.now());
  const from = new Date(nowMs - Number(days) * DAY_MS).toISOString();
  const { data, error } = useRead(rest.compareExperiment, {
    params: { organisationId, experimentId },
    query: days === '30' ? {} : { from },
  });
  const columns = useColumns(experimentId);
  return (
    <>
      <Card
        title="Comparison"
        hint="From the usage records of the requests that were assigned to each arm"
        action={<Segmented label="Period" options={SPANS} value={days} onChange={setDays} />}
        flush
      >
        {error && (
          <div className="p-4">
            <Failure error={error} />
          </div>
        )}
        {data !== undefined && (
          <Table
            caption="Comparison of the arms"
            columns={columns}
            rows={data.arms}
            keyOf={({ arm }) => arm}
          />
        )}
        {data?.truncated === true && (
          <p className="border-t p-4 text-sm text-ink-soft">
            Only the latest {showCount(data.records)} requests of this period are compared.
          </p>
        )}
      </Card>
      {data?.shadow && <ShadowComparison experimentId={experimentId} shadow={data.shadow} />}
    </>
  );
}

function useColumns(experimentId: string): readonly Column<rest.ArmComparison>[] {
  const scope = useScope();
  return [
    {
      title: 'Arm',
      cell: ({ arm, model, share }) => (
        <>
          <Link
            href={usageHref(scope, { tab: 'requests', experimentId, experimentArm: arm })}
            className="break-words text-accent underline underline-offset-4"
          >
            {arm}
          </Link>
          <span className="block text-xs text-ink-faint">
            {share === null
              ? 'no longer an arm'
              : `${model ?? 'deleted model'}, ${showPart(share / 100)}`}
          </span>
        </>
      ),
    },
    {
      title: 'Requests',
      align: 'right',
      cell: (arm) => <Requests arm={arm} />,
    },
    {
      title: 'Sessions',
      from: 'lg',
      align: 'right',
      cell: ({ sessions }) => (sessions === 0 ? '—' : showCount(sessions)),
    },
    { title: 'Errors', align: 'right', cell: (arm) => <Errors arm={arm} /> },
    {
      title: 'First token, p50 / p95',
      from: 'lg',
      align: 'right',
      cell: ({ firstTokenMs }) => percentiles(firstTokenMs),
    },
    {
      title: 'Latency, p50 / p95',
      from: 'sm',
      align: 'right',
      cell: ({ latencyMs }) => percentiles(latencyMs),
    },
    {
      title: 'Tokens in / out',
      from: 'md',
      align: 'right',
      cell: ({ tokensIn, tokensOut }) => `${showCount(tokensIn)} / ${showCount(tokensOut)}`,
    },
    {
      title: 'Cached input',
      from: 'lg',
      align: 'right',
      cell: ({ cachedInputShare }) =>
        cachedInputShare === null ? '—' : showPart(cachedInputShare),
    },
    { title: 'Cost', from: 'md', align: 'right', cell: ({ costUsd }) => showCost(costUsd) },
    {
      title: 'Cost per request',
      align: 'right',
      cell: ({ costPerRequestUsd }) =>
        costPerRequestUsd === null ? '—' : showCost(costPerRequestUsd),
    },
  ];
}

function Requests({ arm }: { readonly arm: rest.ArmComparison }) {
  const { cacheHits, otherModel, requests } = arm;
  return (
    <>
      {showCount(requests)}
      {cacheHits > 0 && (
        <span className="block text-xs text-ink-faint">
          {showCount(cacheHits)} from the response cache
        </span>
      )}
      {otherModel > 0 && (
        <span className="block text-xs text-ink-faint">
          {showCount(otherModel)} by another model
        </span>
      )}
    </>
  );
}
