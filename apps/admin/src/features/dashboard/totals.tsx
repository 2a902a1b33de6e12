import { formatUsd, parseUsd, type rest } from '@tollgate/contracts';
import type { ReactNode } from 'react';
import { showUsd, sumUsd } from '../../format/money';
import { plural, showCount, showDuration, showPart, showShort } from '../../format/numbers';

type Rows = rest.UsageRollup['data'];

/** What the range comes to. */
export function Totals({ rows }: { rows: Rows }) {
  const requests = total(rows, 'requests');
  const errors = total(rows, 'errors');
  const tokensIn = total(rows, 'tokensIn');
  const tokensOut = total(rows, 'tokensOut');
  const latency = meanLatency(rows);
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border bg-line lg:grid-cols-4">
      <Tile name="Requests" note={errorsNote(requests, errors)}>
        {showCount(requests)}
      </Tile>
      <Tile name="Tokens" note={`${showShort(tokensIn)} in, ${showShort(tokensOut)} out`}>
        {showShort(tokensIn + tokensOut)}
      </Tile>
      <Tile name="Cost" note={costNote(rows, requests)}>
        {showUsd(sumUsd(rows.map(({ costUsd }) => costUsd)))}
      </Tile>
      <Tile name="Mean latency" note="from request to last byte">
        {latency === undefined ? '—' : showDuration(latency)}
      </Tile>
    </dl>
  );
}

function Tile({ name, note, children }: { name: string; note: string; children: ReactNode }) {
  return (
    <div className="bg-surface px-4 py-3">
      <dt className="text-sm text-ink-soft">{name}</dt>
      <dd className="mt-0.5 text-xl font-semibold tracking-tight tabular-nums">{children}</dd>
      <dd className="text-sm text-ink-faint">{note}</dd>
    </div>
  );
}

function total(rows: Rows, field: 'requests' | 'errors' | 'tokensIn' | 'tokensOut'): number {
  return rows.reduce((sum, row) => sum + row[field], 0);
}

function errorsNote(requests: number, errors: number): string {
  if (errors === 0) return 'no errors';
  return `${plural(errors, 'error')}, ${showPart(errors / Math.max(1, requests))}`;
}

/** What one request came to on the average, to a billionth of a dollar. */
function costNote(rows: Rows, requests: number): string {
  if (requests === 0) return 'nothing spent';
  const nano = parseUsd(sumUsd(rows.map(({ costUsd }) => costUsd)), { allowNegative: true });
  return `${showUsd(formatUsd(nano / BigInt(requests)))} per request`;
}

/** Each bucket's mean counts as often as it has requests. */
export function meanLatency(rows: Rows): number | undefined {
  let sum = 0;
  let requests = 0;
  for (const row of rows) {
    if (row.meanLatencyMs === null) continue;
    sum += row.meanLatencyMs * row.requests;
    requests += row.requests;
  }
  return requests === 0 ? undefined : sum / requests;
}
