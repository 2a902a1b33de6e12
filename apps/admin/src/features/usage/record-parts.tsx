'use client';

import type { rest } from '@tollgate/contracts';

import { Badge } from '../../design/badge';
import { Card } from '../../design/card';
import { Table, type Column } from '../../design/table';
import { showUsd } from '../../format/money';
import { showCount, showDuration, showShort } from '../../format/numbers';
import { showTime } from '../../format/time';
import { sentence } from '../../format/words';
import { useOrganisation } from '../../shell/scope';
import { ScopeName } from '../pickers/scope-name';
import { ProviderName } from './provider-name';
import { Timeline } from './timeline';

interface RecordProps {
  readonly record: rest.UsageRecordDetail;
}
type Attempt = rest.UsageRecordDetail['attempts'][number];
type Numbered = Attempt & { readonly number: number };

const ATTEMPTS: readonly Column<Numbered>[] = [
  { title: 'Attempt', cell: ({ number }) => String(number) },
  {
    title: 'Model',
    cell: ({ modelId }) => <ScopeName scope={{ type: 'MODEL', id: modelId }} bare />,
  },
  {
    title: 'Provider',
    from: 'lg',
    cell: ({ providerId }) => <ProviderName providerId={providerId} />,
  },
  {
    title: 'Region',
    from: 'md',
    cell: ({ region }) => region ?? <span title="Unknown, or not recorded">—</span>,
  },
  {
    title: 'Upstream’s model',
    from: 'md',
    cell: ({ upstreamModel }) => (
      <code className="font-mono text-xs break-all">{upstreamModel || '—'}</code>
    ),
  },
  {
    title: 'Outcome',
    cell: ({ outcome, hedge, message }) => (
      <>
        <span className="flex flex-wrap gap-1">
          <Badge tone={outcome === 'OK' ? 'good' : 'bad'}>{outcomeWords(outcome)}</Badge>
          {hedge && <Badge>hedged</Badge>}
        </span>
        {message !== '' && (
          <span className="mt-1 block max-w-md min-w-48 text-sm break-words text-ink-soft">
            {message}
          </span>
        )}
      </>
    ),
  },
  {
    title: 'HTTP status',
    align: 'right',
    from: 'sm',
    cell: ({ httpStatus }) => (httpStatus > 0 ? httpStatus : '—'),
  },
  { title: 'Latency', align: 'right', cell: ({ latencyMs }) => showDuration(latencyMs) },
  {
    title: 'First token',
    align: 'right',
    from: 'md',
    cell: ({ firstTokenMs }) => (firstTokenMs > 0 ? showDuration(firstTokenMs) : '—'),
  },
  { title: 'Tokens', align: 'right', from: 'sm', cell: ({ tokens }) => <Tokens tokens={tokens} /> },
  { title: 'Cost', align: 'right', cell: ({ costUsd }) => showUsd(costUsd) },
  {
    title: 'Upstream’s id',
    from: 'lg',
    cell: ({ upstreamRequestId }) => (
      <code className="font-mono text-xs break-all">
        {upstreamRequestId === '' ? '—' : upstreamRequestId}
      </code>
    ),
  },
];

/** "HTTP_503" → "HTTP 503", "EARLY_END" → "Early end". */
function outcomeWords(outcome: string): string {
  return outcome.startsWith('HTTP_') ? outcome.replace('_', ' ') : sentence(outcome);
}

function Tokens({ tokens }: Pick<Attempt, 'tokens'>) {
  if (tokens === null) return <span title="not recorded">—</span>;
  const { reasoning, output, audioOutput, imageOutput, ...input } = tokens;
  const taken = Object.values(input).reduce((sum, count) => sum + count, 0);
  const given = output + audioOutput + imageOutput;
  const thought = reasoning > 0 ? `, ${showCount(reasoning)} of them reasoning` : '';
  return (
    <span title={`${showCount(taken)} in, ${showCount(given)} out${thought}`}>
      {showShort(taken)} + {showShort(given)}
    </span>
  );
}

/** The tried candidates in order. */
export function Attempts({ record }: RecordProps) {
  const rows = record.attempts.map((attempt, index) => ({ ...attempt, number: index + 1 }));
  return (
    <Card title="Attempts" hint="upstream calls, in order" flush={rows.length > 0}>
      {rows.length === 0 ? (
        <p className="text-ink-soft">No upstream was called.</p>
      ) : (
        <>
          <Timeline record={record} />
          <Table
            caption="Attempts"
            columns={ATTEMPTS}
            rows={rows}
            keyOf={({ number }) => String(number)}
          />
        </>
      )}
    </Card>
  );
}

type Adjustment = rest.UsageRecordDetail['adjustments'][number];

/** Later corrections of the cost. The record itself does not change. */
export function Corrections({ record }: RecordProps) {
  const { timeZone } = useOrganisation();
  const { adjustments } = record;
  if (adjustments.length === 0) return null;
  const columns: readonly Column<Adjustment>[] = [
    {
      title: 'Time',
      cell: ({ createdAt }) => (
        <time dateTime={createdAt} className="font-normal whitespace-nowrap tabular-nums">
          {showTime(createdAt, 'moment', timeZone)}
        </time>
      ),
    },
    { title: 'Kind', cell: ({ kind }) => sentence(kind) },
    { title: 'Why', cell: ({ reason }) => reason },
    { title: 'Cost', align: 'right', cell: ({ costUsd }) => showUsd(costUsd) },
  ];
  return (
    <Card title="Corrections" hint="added to the cost" flush>
      <Table caption="Corrections" columns={columns} rows={adjustments} keyOf={({ id }) => id} />
    </Card>
  );
}
