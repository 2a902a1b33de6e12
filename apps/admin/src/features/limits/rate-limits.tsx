'use client';

import { LIMIT_SCOPES, rest } from '@tollgate/contracts';
import { Timer } from 'lucide-react';
import { useMemo, useState } from 'react';

import { useRest } from '../../api/provider';
import { showCount } from '../../format/numbers';
import type { ListColumn } from '../../resource/columns-menu';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { ListPage } from '../../resource/list-page';
import { sourceOf } from '../../resource/source';
import { useMay, useOrganisation } from '../../shell/scope';
import { limitActions } from './limit-actions';
import { createdColumn, scopeColumn, stateColumn } from './limit-columns';
import { QUOTAS_PAGE } from './quotas-frame';
import { RateLimitForm } from './rate-limit-form';
import { SoftLimitPasses } from './soft-limit-passes';

/** Rate limits: requests and tokens per minute, concurrent requests. */
export function RateLimits() {
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const mayWrite = useMay('rate-limits.write');
  const [form, setForm] = useState<{ readonly rateLimitId?: string }>();
  const [question, setQuestion] = useState<Question>();
  const columns = useRateColumns();
  const actions = (limit: rest.RateLimit) => {
    const params = { organisationId, rateLimitId: limit.id };
    return limitActions({
      noun: 'rate limit',
      client,
      status: limit.status,
      onEdit: () => setForm({ rateLimitId: limit.id }),
      ask: setQuestion,
      remove: () => client.call(rest.deleteRateLimit, { params }),
      set: (status) => [rest.updateRateLimit, { params, body: { status } }],
      stale: [rest.listRateLimits.id],
    });
  };
  return (
    <ListPage
      title="Rate limits"
      {...QUOTAS_PAGE}
      create={mayWrite && { label: 'Create rate limit', onSelect: () => setForm({}) }}
      source={sourceOf(rest.listRateLimits, { organisationId })}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={() => 'rate limit'}
      filters={[
        { name: 'scopeType', label: 'Applies to', any: 'Anything', values: LIMIT_SCOPES },
        { name: 'status', label: 'State', any: 'On or off', values: rest.SWITCH_STATUSES },
      ]}
      actions={mayWrite && actions}
      empty={{
        icon: Timer,
        title: 'No rate limits yet',
        text: 'A rate limit caps requests and tokens per minute, and concurrent requests.',
      }}
    >
      <SoftLimitPasses of={{ resource: 'rate-limit' }} noun="a soft rate limit" />
      {form !== undefined && <RateLimitForm {...form} onClose={() => setForm(undefined)} />}
      {question !== undefined && (
        <ConfirmDialog question={question} onClose={() => setQuestion(undefined)} />
      )}
    </ListPage>
  );
}

function useRateColumns(): readonly ListColumn<rest.RateLimit>[] {
  const { timeZone } = useOrganisation();
  return useMemo<readonly ListColumn<rest.RateLimit>[]>(
    () => [
      scopeColumn,
      {
        title: 'Requests per minute',
        align: 'right',
        cell: ({ requestsPerMinute }) => <Bound of={requestsPerMinute} />,
      },
      {
        title: 'Tokens per minute',
        align: 'right',
        cell: ({ tokensPerMinute }) => <Bound of={tokensPerMinute} />,
      },
      {
        title: 'Concurrent',
        align: 'right',
        from: 'sm',
        cell: ({ concurrentRequests }) => <Bound of={concurrentRequests} />,
      },
      stateColumn,
      createdColumn(timeZone),
    ],
    [timeZone],
  );
}

function Bound({ of }: { of: number | null }) {
  return of === null ? (
    <span className="whitespace-nowrap text-ink-faint">no limit</span>
  ) : (
    showCount(of)
  );
}
