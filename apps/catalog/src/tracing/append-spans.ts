import type { AppendRequest__Output } from '@tollgate/contracts/node';
import { newSpanId, type Tracing } from '@tollgate/kit/tracing';

interface Times {
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * A span for each committed entry whose request is traced, a child of the span that handed its settle over. All
 * entries of a batch are booked in one transaction, so their spans have its times.
 */
export function noteAppended(
  tracing: Pick<Tracing, 'add'> | undefined,
  { entries, shard }: Pick<AppendRequest__Output, 'entries' | 'shard'>,
  times: Times,
): void {
  if (!tracing) return;
  for (const { closedAtMs, mode, requestId, seq, settle } of entries) {
    if (!settle || settle.spanId === '' || settle.traceId === '') continue;
    tracing.add({
      traceId: settle.traceId,
      state: '',
      spans: [
        {
          name: 'ledger append',
          kind: 'SERVER',
          spanId: newSpanId(),
          parentSpanId: settle.spanId,
          ...times,
          attributes: [
            ['tollgate.request.id', requestId],
            ['tollgate.ledger.mode', mode],
            ['tollgate.ledger.shard', shard],
            ['tollgate.ledger.seq', seq],
            ['tollgate.ledger.batch_entries', entries.length],
            // From the close of the request until it is in the books.
            ['tollgate.ledger.lag_ms', Math.max(0, Math.round(times.endMs - closedAtMs))],
          ],
        },
      ],
    });
  }
}
