'use client';

import { LIMIT_SCOPES, QUOTA_METRICS, rest, type QuotaMetric } from '@tollgate/contracts';
import { Gauge as GaugeIcon } from 'lucide-react';
import { useMemo, useState } from 'react';

import { useRest } from '../../api/provider';
import { Gauge } from '../../design/gauge';
import { When } from '../../design/when';
import { showPart } from '../../format/numbers';
import type { ListColumn } from '../../resource/columns-menu';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { ListPage } from '../../resource/list-page';
import { sourceOf } from '../../resource/source';
import { useMay, useOrganisation } from '../../shell/scope';
import { limitActions } from './limit-actions';
import { createdColumn, scopeColumn, stateColumn } from './limit-columns';
import { QuotaForm } from './quota-form';
import { amountPart, METRIC_WORDS, showAmount, windowWords } from './quota-words';
import { QUOTAS_PAGE } from './quotas-frame';
import { SoftLimitPasses } from './soft-limit-passes';

/** Quotas with their usage per window. */
export function Quotas() {
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const mayWrite = useMay('quotas.write');
  const [form, setForm] = useState<{ readonly quotaId?: string }>();
  const [question, setQuestion] = useState<Question>();
  const columns = useQuotaColumns();
  const actions = (quota: rest.Quota) => {
    const params = { organisationId, quotaId: quota.id };
    return limitActions({
      noun: 'quota',
      client,
      status: quota.status,
      onEdit: () => setForm({ quotaId: quota.id }),
      ask: setQuestion,
      remove: () => client.call(rest.deleteQuota, { params }),
      set: (status) => [rest.updateQuota, { params, body: { status } }],
      stale: [rest.listQuotas.id],
    });
  };
  return (
    <ListPage
      title="Quotas"
      {...QUOTAS_PAGE}
      create={mayWrite && { label: 'Create quota', onSelect: () => setForm({}) }}
      source={sourceOf(rest.listQuotas, { organisationId })}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ metric }) => `Quota of ${METRIC_WORDS[metric].toLowerCase()}`}
      filters={[
        { name: 'scopeType', label: 'Applies to', any: 'Anything', values: LIMIT_SCOPES },
        {
          name: 'metric',
          label: 'Metric',
          any: 'Any metric',
          values: QUOTA_METRICS,
          wordOf: (metric) => METRIC_WORDS[metric as QuotaMetric],
        },
        { name: 'status', label: 'State', any: 'On or off', values: rest.SWITCH_STATUSES },
      ]}
      actions={mayWrite && actions}
      empty={{
        icon: GaugeIcon,
        title: 'No quotas yet',
        text: 'A quota limits requests, tokens, cost, errors or upstream time per window, from a minute to a quarter.',
      }}
    >
      <SoftLimitPasses of={{ resource: 'quota' }} noun="a soft quota" />
      {form !== undefined && <QuotaForm {...form} onClose={() => setForm(undefined)} />}
      {question !== undefined && (
        <ConfirmDialog question={question} onClose={() => setQuestion(undefined)} />
      )}
    </ListPage>
  );
}

function useQuotaColumns(): readonly ListColumn<rest.Quota>[] {
  const { timeZone } = useOrganisation();
  return useMemo<readonly ListColumn<rest.Quota>[]>(
    () => [
      scopeColumn,
      { title: 'Metric', from: 'sm', cell: ({ metric }) => METRIC_WORDS[metric] },
      { title: 'Window', from: 'sm', cell: windowWords },
      { title: 'Used', cell: (quota) => <Used quota={quota} /> },
      {
        title: 'Resets',
        align: 'right',
        from: 'lg',
        cell: ({ windowEnd }) => <When instant={windowEnd} timeZone={timeZone} format="minute" />,
      },
      stateColumn,
      createdColumn(timeZone),
    ],
    [timeZone],
  );
}

function Used({ quota }: { quota: rest.Quota }) {
  const { metric, used, held, limit } = quota;
  const part = amountPart(used, limit);
  const words = `${showAmount(metric, used)} of ${showAmount(metric, limit)}`;
  return (
    <div className="min-w-28 sm:min-w-36">
      <div className="mb-1 flex flex-wrap justify-between gap-x-3 text-sm tabular-nums">
        <span>
          {words}
          {/* A phone hides the metric's column. */}
          <span className="sm:hidden"> {METRIC_WORDS[metric].toLowerCase()}</span>
        </span>
        <span className="text-ink-faint">{showPart(part)}</span>
      </div>
      <Gauge
        label={`${METRIC_WORDS[metric]} quota`}
        text={`${words}, ${showPart(part)}`}
        spent={part}
        held={Number(limit) === 0 ? 0 : amountPart(held, limit)}
      />
    </div>
  );
}
