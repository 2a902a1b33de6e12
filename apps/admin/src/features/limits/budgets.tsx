'use client';

import { BUDGET_PERIODS, isValueScope, LIMIT_SCOPES, rest } from '@tollgate/contracts';
import { WalletMinimal } from 'lucide-react';
import { useMemo, useState } from 'react';

import { useRest } from '../../api/provider';
import { Gauge } from '../../design/gauge';
import { useListQuery } from '../../design/use-list-query';
import { When } from '../../design/when';
import { showUsd } from '../../format/money';
import { showPart } from '../../format/numbers';
import { sentence } from '../../format/words';
import type { ListColumn } from '../../resource/columns-menu';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { ListPage } from '../../resource/list-page';
import { Narrowings } from '../../resource/narrowings';
import { sourceOf } from '../../resource/source';
import { useMay, useOrganisation } from '../../shell/scope';
import { BudgetForm } from './budget-form';
import { forecastUsd, usedPart } from './forecast';
import { LastBudgetRefusal } from './last-budget-refusal';
import { limitActions } from './limit-actions';
import { createdColumn, scopeColumn, stateColumn } from './limit-columns';
import { SoftLimitPasses } from './soft-limit-passes';

/** Budgets with their spending and forecast. */
export function Budgets({ nowMs }: { nowMs: number }) {
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const mayWrite = useMay('budgets.write');
  // A link of a refusal opens the form of its budget at the field that helps.
  const { get, set } = useListQuery();
  const [form, setForm] = useState<{ readonly budgetId?: string; readonly focus?: string }>();
  const linked = get('edit');
  const shown =
    form ??
    (linked !== undefined && mayWrite ? { budgetId: linked, focus: get('field') } : undefined);
  const closeForm = (): void => {
    setForm(undefined);
    if (linked !== undefined) set('edit', undefined);
  };
  const [question, setQuestion] = useState<Question>();
  const columns = useBudgetColumns(nowMs);
  const actions = (budget: rest.Budget) => {
    const params = { organisationId, budgetId: budget.id };
    return limitActions({
      noun: 'budget',
      client,
      status: budget.status,
      onEdit: () => setForm({ budgetId: budget.id }),
      ask: setQuestion,
      remove: () => client.call(rest.deleteBudget, { params }),
      set: (status) => [rest.updateBudget, { params, body: { status } }],
      stale: [rest.listBudgets.id],
    });
  };
  return (
    <ListPage
      title="Budgets"
      description="The gateway holds money before it sends a request, so requests that run at the same time cannot exceed a hard budget together."
      create={mayWrite && { label: 'Create budget', onSelect: () => setForm({}) }}
      above={<Narrowings of={NARROWED_BY} />}
      source={sourceOf(rest.listBudgets, { organisationId })}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ period, limitUsd }) => `${sentence(period)} budget of ${showUsd(limitUsd)}`}
      filters={[
        { name: 'scopeType', label: 'Applies to', any: 'Anything', values: LIMIT_SCOPES },
        { name: 'period', label: 'Period', any: 'Any period', values: BUDGET_PERIODS },
        { name: 'status', label: 'State', any: 'On or off', values: rest.SWITCH_STATUSES },
      ]}
      actions={mayWrite && actions}
      empty={{
        icon: WalletMinimal,
        title: 'No budgets yet',
        text: 'A budget limits the spending of the organisation, a team, a user, an API key or a model per day, week, month or quarter.',
      }}
    >
      <LastBudgetRefusal />
      <SoftLimitPasses of={{ resource: 'budget' }} noun="a soft budget" />
      {shown !== undefined && <BudgetForm {...shown} onClose={closeForm} />}
      {question !== undefined && (
        <ConfirmDialog question={question} onClose={() => setQuestion(undefined)} />
      )}
    </ListPage>
  );
}

function useBudgetColumns(nowMs: number): readonly ListColumn<rest.Budget>[] {
  const { timeZone } = useOrganisation();
  return useMemo<readonly ListColumn<rest.Budget>[]>(
    () => [
      scopeColumn,
      { title: 'Period', from: 'sm', cell: ({ period }) => sentence(period) },
      { title: 'Used', cell: (budget) => <Used budget={budget} /> },
      {
        title: 'Forecast',
        align: 'right',
        from: 'md',
        cell: (budget) => <Forecast budget={budget} nowMs={nowMs} />,
      },
      {
        title: 'Resets',
        align: 'right',
        from: 'lg',
        cell: ({ windowEnd }) => <When instant={windowEnd} timeZone={timeZone} />,
      },
      stateColumn,
      {
        title: 'Lowers the output bound',
        hidden: true,
        cell: ({ clampToBudget }) => (clampToBudget ? 'yes' : 'no'),
      },
      createdColumn(timeZone),
    ],
    [nowMs, timeZone],
  );
}

function Used({ budget }: { budget: rest.Budget }) {
  const { spentUsd, heldUsd, limitUsd, period } = budget;
  const spent = usedPart(spentUsd, limitUsd);
  const words = `${showUsd(spentUsd)} of ${showUsd(limitUsd)}`;
  return (
    <div className="min-w-28 sm:min-w-36">
      <div className="mb-1 flex flex-wrap justify-between gap-x-3 text-sm tabular-nums">
        <span>{words}</span>
        <span className="text-ink-faint">{showPart(spent)}</span>
      </div>
      <Gauge
        label={`${sentence(period)} budget`}
        text={`${words}, ${showPart(spent)}`}
        spent={spent}
        held={usedPart(heldUsd, limitUsd)}
      />
      <span className="text-sm text-ink-faint tabular-nums">{showUsd(heldUsd)} held</span>
    </div>
  );
}

/** The projected spending at the end of the window. */
function Forecast({ budget, nowMs }: { budget: rest.Budget; nowMs: number }) {
  // What each value spends says nothing of the next one, and a lifetime has no end.
  if (isValueScope(budget.scope.type)) return <span className="text-ink-faint">—</span>;
  const forecast = forecastUsd(budget, nowMs);
  if (forecast === undefined) return <span className="text-ink-faint">too early</span>;
  const over = usedPart(forecast, budget.limitUsd) > 1;
  return <span className={over ? 'font-medium text-bad' : undefined}>{showUsd(forecast)}</span>;
}

const NARROWED_BY = [{ name: 'scopeId', label: 'One object' }] as const;
