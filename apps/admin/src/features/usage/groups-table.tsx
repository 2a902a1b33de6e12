'use client';

import type { rest } from '@tollgate/contracts';
import Link from 'next/link';
import { useMemo } from 'react';

import { Button } from '../../design/button';
import { Card } from '../../design/card';
import { Table, type Column } from '../../design/table';
import { showUsd, usdAsNumber } from '../../format/money';
import { plural, showCount, showPart, showShort } from '../../format/numbers';
import { showTime } from '../../format/time';
import { cachedShare, isLoss } from './cached';
import { GroupActions, GroupLink } from './group-link';
import { groupInText } from './group-name';
import { FEW, GROUPS, type UsageState } from './state';
import { Delta } from './tiles';
import type { Usage } from './use-usage';

type Group = rest.UsageExploration['groups'][number];
type Measures = rest.UsageMeasures;

interface GroupsTableProps {
  readonly usage: Usage;
  readonly exploration: rest.UsageExploration;
}

/** The groups with their usage, largest first. The server sorts. */
export function GroupsTable({ usage, exploration }: GroupsTableProps) {
  const { state, go } = usage;
  const { groups, groupCount, totals } = exploration;
  const largest = largestCost(groups.map((row) => row.totals));
  const columns = useMemo<readonly Column<Group>[]>(
    () => [
      {
        title: GROUPS[state.group],
        cell: ({ group }) => <GroupLink usage={usage} group={group} />,
      },
      {
        title: 'Spend',
        align: 'right',
        sort: 'costUsd',
        cell: ({ totals: own }) => <Spend measures={own} of={totals} largest={largest} />,
      },
      ...measureColumns<Group>((row) => row.totals),
      ...(state.compare ? [changeColumn] : []),
      {
        title: 'Actions',
        titleHidden: true,
        align: 'right',
        cell: ({ group }) => <GroupActions usage={usage} group={group} />,
      },
    ],
    [state, usage, totals, largest],
  );
  const more = groupCount > groups.length;
  return (
    <Card
      title={`By ${groupInText(state.group)}`}
      hint={more ? `the ${String(groups.length)} largest of ${showCount(groupCount)}` : undefined}
      flush
      action={
        (more || state.top > FEW) && (
          <Button size="small" onClick={() => go({ top: state.top > FEW ? undefined : '50' })}>
            {state.top > FEW ? `Show ${String(FEW)}` : 'Show up to 50'}
          </Button>
        )
      }
    >
      <Table
        caption={`Usage by ${groupInText(state.group)}`}
        columns={columns}
        rows={groups}
        keyOf={({ group }) => group.id ?? 'none'}
        sorting={{
          by: `-${state.order}`,
          // The server returns the largest groups, so only descending order is possible.
          onSort: (by) => go({ order: by.replace('-', '') }),
        }}
      />
    </Card>
  );
}

const changeColumn: Column<Group> = {
  title: 'Change in spend',
  align: 'right',
  from: 'lg',
  cell: ({ totals, previous }) => (
    <Delta
      now={usdAsNumber(totals.costUsd)}
      before={usdAsNumber(previous?.costUsd ?? '0')}
      was={showUsd(previous?.costUsd ?? '0')}
    />
  ),
};

function measureColumns<Row>(of: (row: Row) => Measures): Column<Row>[] {
  return [
    {
      title: 'Requests',
      align: 'right',
      sort: 'requests',
      cell: (row) => showCount(of(row).requests),
    },
    {
      title: 'Errors',
      align: 'right',
      from: 'sm',
      sort: 'errors',
      cell: (row) => <Errors measures={of(row)} />,
    },
    {
      title: 'Tokens',
      align: 'right',
      from: 'md',
      sort: 'tokens',
      cell: (row) => {
        const { tokensIn, tokensOut } = of(row);
        return (
          <span title={`${showCount(tokensIn)} in, ${showCount(tokensOut)} out`}>
            {showShort(tokensIn + tokensOut)}
          </span>
        );
      },
    },
    {
      title: 'Cached input',
      align: 'right',
      from: 'lg',
      cell: (row) => <Cached measures={of(row)} />,
    },
    {
      title: 'Saved by caches',
      align: 'right',
      from: 'xl',
      cell: (row) => <Saved usd={of(row).cacheSavedUsd} />,
    },
    {
      title: 'Saved by routing',
      align: 'right',
      from: 'xl',
      cell: (row) => <Saved usd={of(row).routingSavedUsd} />,
    },
  ];
}

function Cached({ measures }: { measures: Measures }) {
  const share = cachedShare(measures);
  if (share === undefined || share === 0) return <span className="text-ink-faint">—</span>;
  const { tokens, tokensIn } = measures;
  const words = `${showCount(tokens.cacheRead)} of ${showCount(tokensIn)} input tokens were read from the provider’s cache`;
  return <span title={words}>{showPart(share)}</span>;
}

function Saved({ usd }: { usd: string }) {
  if (usdAsNumber(usd) === 0) return <span className="text-ink-faint">—</span>;
  return <span className={isLoss(usd) ? 'text-warn' : undefined}>{showUsd(usd)}</span>;
}

function Errors({ measures: { requests, errors } }: { measures: Measures }) {
  if (errors === 0) return <span className="text-ink-faint">0</span>;
  return (
    <span title={plural(errors, 'error')}>
      {showCount(errors)}{' '}
      <span className="text-ink-faint">{showPart(errors / Math.max(1, requests))}</span>
    </span>
  );
}

interface SpendProps {
  readonly measures: Measures;
  /** The total. */
  readonly of: Measures;
  /** The largest value, which has the full bar. */
  readonly largest: number;
}

function Spend({ measures: { costUsd }, of, largest }: SpendProps) {
  const whole = usdAsNumber(of.costUsd);
  const cost = Math.max(0, usdAsNumber(costUsd));
  return (
    <span className="inline-flex flex-col items-end gap-1">
      <span title={whole > 0 ? `${showPart(cost / whole)} of all` : undefined}>
        {showUsd(costUsd)}
      </span>
      <span className="h-1 w-20 overflow-hidden rounded-full bg-sunken" aria-hidden>
        <span
          className="block h-full rounded-full bg-accent"
          style={{ width: `${largest > 0 ? (cost / largest) * 100 : 0}%` }}
        />
      </span>
    </span>
  );
}

function largestCost(measures: readonly Measures[]): number {
  return Math.max(0, ...measures.map(({ costUsd }) => usdAsNumber(costUsd)));
}

type Point = rest.UsageExploration['series'][number];

const ORDERS: Record<rest.ExplorerMeasure, (measures: Measures) => number> = {
  costUsd: ({ costUsd }) => usdAsNumber(costUsd),
  requests: ({ requests }) => requests,
  errors: ({ errors }) => errors,
  tokens: ({ tokensIn, tokensOut }) => tokensIn + tokensOut,
};

/** Usage per time bucket, latest first unless sorted. */
export function TimeTable({ usage, exploration }: GroupsTableProps) {
  const { state, timeZone, go } = usage;
  const { totals, series } = exploration;
  const largest = largestCost(series.map(({ measures }) => measures));
  const sorted = useSortedPoints(exploration, state);
  const columns = useMemo<readonly Column<Point>[]>(
    () => [
      {
        title: 'Time',
        cell: ({ start }) => (
          <time dateTime={start} className="whitespace-nowrap">
            {showTime(start, LONG[state.bucket], timeZone)}
          </time>
        ),
      },
      {
        title: 'Spend',
        align: 'right',
        sort: 'costUsd',
        cell: ({ measures }) => <Spend measures={measures} of={totals} largest={largest} />,
      },
      ...measureColumns<Point>((row) => row.measures),
    ],
    [state.bucket, timeZone, totals, largest],
  );
  return (
    <Card
      title="By time"
      hint={`every ${state.bucket} with usage`}
      flush
      action={
        state.ordered && (
          <Link
            href={usage.hrefOf({ order: undefined })}
            scroll={false}
            className="text-sm text-accent underline underline-offset-4"
          >
            Sort by time
          </Link>
        )
      }
    >
      <div className="max-h-128 overflow-y-auto">
        <Table
          caption="Usage by time"
          columns={columns}
          rows={sorted}
          keyOf={({ start }) => start}
          sorting={{
            by: state.ordered ? `-${state.order}` : undefined,
            onSort: (by) => go({ order: by.replace('-', '') }),
          }}
        />
      </div>
    </Card>
  );
}

const LONG = { hour: 'moment', day: 'date', month: 'month' } as const;

function useSortedPoints(
  { series }: rest.UsageExploration,
  { order, ordered }: UsageState,
): Point[] {
  return useMemo(
    () =>
      ordered
        ? series.toSorted((a, b) => ORDERS[order](b.measures) - ORDERS[order](a.measures))
        : series.toReversed(),
    [series, order, ordered],
  );
}
