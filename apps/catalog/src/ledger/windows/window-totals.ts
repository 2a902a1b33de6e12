import { isValueCounter, isValueScope, limitIdOf, shardOf } from '@tollgate/contracts';
import type {
  WindowQuery__Output,
  WindowTotal,
  WindowTotalsReply,
  WindowTotalsRequest__Output,
} from '@tollgate/contracts/node';
import type { Pool, PoolClient } from 'pg';

import { inTransaction } from '../../db';
import { isUuid } from '../records/entry-values';
import { lockShard, readShard, shardState, type ShardRow } from '../records/shards';
import { findLimitsById, type BookedLimit } from './matching-limits';
import { findValueWindows } from './value-windows';
import { createWindows, findWindows, type WindowSpan } from './windows';

interface Totals {
  reply: WindowTotalsReply;
  missing: WindowSpan[];
  limits: BookedLimit[];
}

/**
 * Totals of windows, at one position and revision of their shard. A window without a row (a new
 * limit, an unused window) is summed from the records under the shard's row lock.
 */
export async function windowTotals(
  pool: Pool,
  request: WindowTotalsRequest__Output,
): Promise<WindowTotalsReply> {
  if (shardOf(request.organisationId) !== request.shard) {
    throw new RangeError(
      `organisation ${request.organisationId} does not belong to shard ${request.shard}`,
    );
  }
  for (const { windowStartMs, windowEndMs } of request.windows) {
    if (!(windowStartMs < windowEndMs)) throw new RangeError('a window must end after it starts');
  }
  const seen = await inTransaction(
    pool,
    async (tx) => readTotals(tx, request, await readShard(tx, request.shard)),
    'REPEATABLE READ READ ONLY',
  );
  if (seen.missing.length === 0) return seen.reply;
  return inTransaction(pool, async (tx) => {
    const shard = await lockShard(tx, request.shard);
    const { missing, limits } = await readTotals(tx, request, shard);
    await createWindows(tx, limits, missing);
    return (await readTotals(tx, request, shard)).reply;
  });
}

async function readTotals(
  tx: PoolClient,
  request: WindowTotalsRequest__Output,
  shard: ShardRow,
): Promise<Totals> {
  const ids = request.windows.map((window) => limitIdOf(window.limitId)).filter(isUuid);
  const limits = (await findLimitsById(tx, ids)).filter(
    (limit) => limit.organisationId === request.organisationId,
  );
  const byId = new Map(limits.map((limit) => [limit.limitId, limit]));
  const asked = request.windows.filter((window) => isCounterOf(window, byId)).map(spanOf);
  const spans = asked.filter(({ limitId }) => !isValueCounter(limitId));
  const values = asked.filter(({ limitId }) => isValueCounter(limitId));
  const rows = [...(await findWindows(tx, spans)), ...(await findValueWindows(tx, values))];
  const totals = new Map(rows.map((row) => [keyOf(row), row.total]));
  return {
    reply: {
      state: shardState(shard),
      totals: request.windows.map((window) =>
        totalOf(window, byId.get(limitIdOf(window.limitId)), totals.get(keyOf(spanOf(window)))),
      ),
    },
    missing: spans.filter((span) => !totals.has(keyOf(span))),
    limits,
  };
}

/** A limit on each value has counters of values only, and every other limit none. */
function isCounterOf(
  { limitId }: WindowQuery__Output,
  limits: ReadonlyMap<string, BookedLimit>,
): boolean {
  const limit = limits.get(limitIdOf(limitId));
  return limit !== undefined && isValueScope(limit.scopeType) === isValueCounter(limitId);
}

function totalOf(
  window: WindowQuery__Output,
  limit: BookedLimit | undefined,
  total: bigint | undefined,
): WindowTotal {
  const { limitId, windowStartMs } = window;
  // A limit deleted between the two statements has no row; the caller treats it as deleted.
  if (limit === undefined || total === undefined) {
    return { limitId, windowStartMs, settled: '0', limitFound: false };
  }
  return {
    limitId,
    windowStartMs,
    settled: total.toString(),
    limitFound: true,
    metric: limit.metric,
    scopeType: limit.scopeType,
    scopeId: limit.scopeId,
  };
}

function spanOf(window: WindowQuery__Output): WindowSpan {
  return { limitId: window.limitId, startMs: window.windowStartMs, endMs: window.windowEndMs };
}

function keyOf(span: WindowSpan): string {
  return `${span.limitId}/${span.startMs}/${span.endMs}`;
}
