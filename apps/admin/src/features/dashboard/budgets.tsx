'use client';

import { parseUsd, rest } from '@tollgate/contracts';
import Link from 'next/link';

import { useRead } from '../../api/provider';
import { Badge } from '../../design/badge';
import { Card } from '../../design/card';
import { Failure } from '../../design/failure';
import { Gauge } from '../../design/gauge';
import { SkeletonRows } from '../../design/skeleton';
import { showUsd } from '../../format/money';
import { showPart } from '../../format/numbers';
import { showTime } from '../../format/time';
import { sentence } from '../../format/words';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { ScopeName } from '../pickers/scope-name';
import { BUDGETS_QUERY } from './queries';

/** The budgets with the smallest part left. */
export function Budgets() {
  const { id: organisationId } = useOrganisation();
  const { data, error, refetch } = useRead(rest.listBudgets, {
    params: { organisationId },
    query: BUDGETS_QUERY,
  });
  const tightest = data?.data.toSorted((a, b) => usedPart(b) - usedPart(a)).slice(0, SHOWN);
  const hint = (data?.data.length ?? 0) > SHOWN ? `the ${SHOWN} with the least left` : undefined;
  return (
    <Card title="Budgets" hint={hint}>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && tightest === undefined && (
        <SkeletonRows rows={3} label="Loading budgets" />
      )}
      {tightest?.length === 0 && <NoBudgets />}
      {tightest !== undefined && tightest.length > 0 && (
        <ul className="grid gap-x-8 gap-y-5 md:grid-cols-2">
          {tightest.map((budget) => (
            <BudgetGauge key={budget.id} budget={budget} />
          ))}
        </ul>
      )}
    </Card>
  );
}

const SHOWN = 5;

function NoBudgets() {
  const scope = useScope();
  if (!useMay('budgets.write')) {
    return (
      <p className="text-ink-soft">
        You have no budget of your own. Budgets of the organisation may still apply to you.
      </p>
    );
  }
  return (
    <p className="text-ink-soft">
      No budgets yet.{' '}
      <Link
        href={pageOf(scope, 'budgets')}
        className="text-accent underline underline-offset-4 hover:text-accent-strong"
      >
        Create a budget
      </Link>
      .
    </p>
  );
}

function BudgetGauge({ budget }: { budget: rest.Budget }) {
  const { timeZone } = useOrganisation();
  const spent = partOf(budget.spentUsd, budget.limitUsd);
  const held = partOf(budget.heldUsd, budget.limitUsd);
  const words = `${showUsd(budget.spentUsd)} of ${showUsd(budget.limitUsd)}`;
  return (
    <li>
      <div className="mb-1.5 flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="flex min-w-0 items-center gap-2 font-medium">
          <ScopeName scope={budget.scope} />
          {budget.mode === 'SOFT' && <Badge>reports only</Badge>}
          {spent >= 1 && budget.mode === 'HARD' && <Badge tone="bad">used up</Badge>}
        </span>
        <span className="tabular-nums">{words}</span>
      </div>
      <Gauge
        label={`${sentence(budget.period)} budget`}
        text={`${words}, ${showPart(spent)}`}
        spent={spent}
        held={held}
      />
      <div className="mt-1 flex flex-wrap justify-between gap-x-3 text-sm text-ink-faint">
        <span>
          {sentence(budget.period)} · {showPart(spent)} used
          {held > 0 && `, ${showUsd(budget.heldUsd)} held by running requests`}
        </span>
        <span>resets {showTime(budget.windowEnd, 'date', timeZone)}</span>
      </div>
    </li>
  );
}

function usedPart(budget: rest.Budget): number {
  return partOf(budget.spentUsd, budget.limitUsd) + partOf(budget.heldUsd, budget.limitUsd);
}

/** A budget of zero is used up from the start. */
function partOf(amount: string, limit: string): number {
  const whole = parseUsd(limit);
  if (whole === 0n) return 1;
  return Number((parseUsd(amount, { allowNegative: true }) * 10_000n) / whole) / 10_000;
}
