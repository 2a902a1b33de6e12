'use client';

import { rest } from '@tollgate/contracts';
import { PencilRuler } from 'lucide-react';
import { useMemo, useState } from 'react';

import { useRest } from '../../api/provider';
import { Badge } from '../../design/badge';
import { Button } from '../../design/button';
import { Empty } from '../../design/empty';
import { fieldError } from '../../design/field-error';
import { TextField } from '../../design/text-field';
import { useToast } from '../../design/toast';
import { When } from '../../design/when';
import { showUsd } from '../../format/money';
import { sentence } from '../../format/words';
import type { ListColumn } from '../../resource/columns-menu';
import { FormBody, Window } from '../../resource/form-dialog';
import { ResourceList } from '../../resource/resource-list';
import { sourceOf } from '../../resource/source';
import { useForm } from '../../resource/use-form';
import { useMay, useOrganisation } from '../../shell/scope';
import { ReasonField } from './reason-form';

/** Corrections of booked requests: late settlements, manual ones, re-ratings. */
export function Corrections() {
  const { id: organisationId } = useOrganisation();
  const mayWrite = useMay('platform.usage.correct');
  const columns = useAdjustmentColumns();
  const [correcting, setCorrecting] = useState(false);
  const correct = mayWrite && (
    <Button look="primary" onClick={() => setCorrecting(true)}>
      <PencilRuler aria-hidden />
      Correct a request
    </Button>
  );
  return (
    <>
      <ResourceList
        title="Corrections"
        source={sourceOf(rest.listUsageAdjustments, { organisationId })}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ requestId }) => `correction of request ${requestId}`}
        filters={[
          {
            name: 'kind',
            label: 'Kind',
            any: 'Any kind',
            values: rest.ADJUSTMENT_KINDS,
            wordOf: kindWords,
          },
        ]}
        tools={correct}
        empty={
          <Empty icon={PencilRuler} title="No corrections yet" action={correct}>
            Records are never rewritten. A correction is booked as a separate entry and listed here.
          </Empty>
        }
      />
      {correcting && <CorrectionForm onClose={() => setCorrecting(false)} />}
    </>
  );
}

function kindWords(kind: string): string {
  return KINDS.get(kind) ?? sentence(kind);
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ['LATE_SETTLED', 'Late settlement'],
  ['LATE_CANCELLED', 'Late: never ran'],
  ['CORRECTION', 'Manual'],
  ['RERATE', 'Corrected price'],
]);

function CorrectionForm({ onClose }: { onClose: () => void }) {
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const say = useToast();
  const form = useForm({
    initial: { requestId: '', costUsd: '', reason: '' },
    stale: [rest.listUsageAdjustments.id, rest.listUsageRecords.id],
    send: ({ requestId, costUsd, reason }, idempotencyKey) =>
      client.call(rest.correctUsageRecord, {
        params: { organisationId, requestId: requestId.trim() },
        body: { costUsd: costUsd.trim(), reason },
        idempotencyKey,
      }),
    onDone: ({ costUsd }) => {
      say(`Correction of ${showUsd(costUsd)} booked.`);
      onClose();
    },
  });
  const { draft, change, error, field } = form;
  return (
    <Window
      title="Correct a request"
      description="The record does not change. The difference is booked as a correction and counts in the request’s own windows."
      onClose={onClose}
    >
      <FormBody
        form={form}
        fields={['requestId', 'costUsd', 'reason']}
        submit="Book correction"
        onClose={onClose}
      >
        <TextField
          label="Request id"
          hint="From the x-request-id response header or the list of requests."
          error={
            error?.status === 404
              ? 'No booked request of this organisation has this id. Check the id.'
              : fieldError(error, 'requestId')
          }
          value={draft.requestId}
          onChange={(value) => change({ requestId: value })}
          className="font-mono"
          spellCheck={false}
        />
        <TextField
          label="Difference in US dollars"
          hint="-0.25 refunds 25 cents, 0.25 charges 25 cents more."
          {...field('costUsd')}
        />
        <ReasonField {...field('reason')} />
      </FormBody>
    </Window>
  );
}

function useAdjustmentColumns(): readonly ListColumn<rest.UsageAdjustment>[] {
  const { timeZone } = useOrganisation();
  return useMemo<readonly ListColumn<rest.UsageAdjustment>[]>(
    () => [
      {
        title: 'Request',
        cell: ({ requestId, reason }) => (
          <>
            <code className="block font-mono text-xs font-normal break-all">{requestId}</code>
            <span className="text-sm font-normal wrap-anywhere text-ink-soft">{reason}</span>
          </>
        ),
      },
      { title: 'Kind', from: 'sm', cell: ({ kind }) => <Badge>{kindWords(kind)}</Badge> },
      { title: 'Difference', align: 'right', cell: ({ costUsd }) => showUsd(costUsd) },
      {
        title: 'By',
        from: 'lg',
        cell: ({ createdBy }) =>
          createdBy === null ? (
            <span className="text-ink-faint">system</span>
          ) : (
            <code className="font-mono text-xs break-all">{createdBy}</code>
          ),
      },
      {
        title: 'When',
        sort: 'createdAt',
        align: 'right',
        from: 'md',
        cell: ({ createdAt }) => <When instant={createdAt} timeZone={timeZone} format="moment" />,
      },
    ],
    [timeZone],
  );
}
