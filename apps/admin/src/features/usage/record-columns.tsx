import type { Outcome, rest } from '@tollgate/contracts';
import { useMemo } from 'react';
import { Badge, type Tone } from '../../design/badge';
import { showUsd } from '../../format/money';
import { showDuration, showShort } from '../../format/numbers';
import { showTime } from '../../format/time';
import type { ListColumn } from '../../resource/columns-menu';
import { useOrganisation } from '../../shell/scope';

/** A booked request in a row. */
export function useRecordColumns(): readonly ListColumn<rest.UsageRecord>[] {
  const { timeZone } = useOrganisation();
  return useMemo<readonly ListColumn<rest.UsageRecord>[]>(
    () => [
      {
        title: 'Time',
        sort: 'authorisedAt',
        cell: ({ authorisedAt, id }) => (
          <time
            dateTime={authorisedAt}
            title={`Request ${id}`}
            className="font-normal tabular-nums sm:whitespace-nowrap"
          >
            {showTime(authorisedAt, 'moment', timeZone)}
          </time>
        ),
      },
      { title: 'Model', cell: ({ model }) => <span className="break-words">{model}</span> },
      { title: 'Result', cell: (record) => <RecordResult record={record} /> },
      {
        title: 'Tokens in',
        align: 'right',
        from: 'md',
        cell: ({ tokensIn }) => showShort(tokensIn),
      },
      {
        title: 'Tokens out',
        align: 'right',
        from: 'md',
        cell: ({ tokensOut }) => showShort(tokensOut),
      },
      {
        title: 'Latency',
        align: 'right',
        from: 'sm',
        cell: ({ latencyMs }) => showDuration(latencyMs),
      },
      { title: 'Cost', align: 'right', cell: ({ costUsd }) => showUsd(costUsd) },
    ],
    [timeZone],
  );
}

const RESULTS: Record<Outcome, { tone: Tone; words: string }> = {
  COMPLETED: { tone: 'good', words: 'answered' },
  PARTIAL: { tone: 'warn', words: 'cut short' },
  FAILED: { tone: 'bad', words: 'failed' },
  BUDGET_STOPPED: { tone: 'warn', words: 'budget stop' },
  CLIENT_CLOSED: { tone: 'neutral', words: 'client left' },
};

export function RecordResult({ record }: { record: rest.UsageRecord }) {
  const { mode, outcome, errorCode, httpStatus } = record;
  if (mode === 'ABANDONED' || outcome === null) return <Badge tone="warn">abandoned</Badge>;
  const { tone, words } = RESULTS[outcome];
  return (
    <span title={`HTTP ${httpStatus}`}>
      <Badge tone={tone}>{errorCode ?? words}</Badge>
    </span>
  );
}
