import { formatUsd, restError, type rest } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

import { transactionOf } from '../../db';
import { Organisation } from '../../entities/organisation.entity';
import { resolveAbandoned } from '../../ledger';
import { BudgetRequest } from '../../ledger/holds/budget-request.entity';
import type { Call } from '../../rest/call';
import { conflict } from '../../rest/field-errors';
import { readByAge, type SortKey } from '../../rest/paging';
import { mcpTargetsOf } from '../usage/mcp-targets';

/** Abandoned holds, as operators list and resolve them. */

export async function list(
  call: Call<typeof rest.listAbandoned>,
): Promise<rest.PageOf<rest.AbandonedHold>> {
  const { query, db } = call;
  const rows = db
    .createQueryBuilder(BudgetRequest, 'hold')
    .where('hold.state = :state', { state: query.state });
  if (query.organisationId !== undefined) {
    rows.andWhere('hold.organisationId = :organisationId', {
      organisationId: query.organisationId,
    });
  }
  // Request ids are UUIDv7, so they are in order of arrival.
  const id: SortKey<BudgetRequest> = {
    column: 'hold.requestId',
    of: (row) => row.requestId,
    holds: 'uuid',
  };
  const page = await readByAge(rows, query, id, 'authorisedAt');
  return {
    data: await representAll(db, page.rows),
    nextCursor: page.nextCursor,
    matching: page.matching,
  };
}

export async function resolve(
  call: Call<typeof rest.resolveAbandoned>,
): Promise<rest.AbandonedHold> {
  const { db, body, actor } = call;
  const { requestId } = call.params;
  const before = await db.findOneBy(BudgetRequest, { requestId });
  if (before === null) throw restError('not_found');
  const { organisationId } = before;
  const { timeZone } = await db.findOneByOrFail(Organisation, { id: organisationId });
  const outcome = await resolveAbandoned(await transactionOf(db), {
    organisationId,
    timeZone,
    requestId,
    ...body,
    resolvedBy: actor.id,
  });
  if (outcome === 'ENDED') throw conflict('requestId', 'the hold is not abandoned (any more)');
  if (outcome === 'NOT_BOOKED') {
    throw conflict('requestId', 'its charge is not booked yet: try again in a moment');
  }
  const row = await db.findOneByOrFail(BudgetRequest, { requestId });
  const [after] = await representAll(db, [row]);
  if (after === undefined) throw restError('not_found');
  call.changed({
    action: 'hold.resolve',
    organisationId,
    target: { type: 'usage_record', id: requestId },
    before: { state: before.state },
    after: { ...after, ...body },
    news: outcome.news,
  });
  return after;
}

const charges = z.array(z.object({ id: z.string(), amount: z.string() }));

/** The cost of these requests, including adjustments. */
async function chargesOf(
  db: EntityManager,
  requestIds: readonly string[],
): Promise<Map<string, bigint>> {
  if (requestIds.length === 0) return new Map();
  const rows: unknown = await db.query(
    `SELECT r.id, (r.cost_nano_usd + coalesce((SELECT sum(a.cost_nano_usd) FROM usage_adjustment a
       WHERE a.request_id = r.id), 0))::text AS amount
     FROM usage_record r WHERE r.id = ANY($1::uuid[])`,
    [[...requestIds]],
  );
  return new Map(charges.parse(rows).map(({ id, amount }) => [id, BigInt(amount)]));
}

async function representAll(
  db: EntityManager,
  rows: readonly BudgetRequest[],
): Promise<rest.AbandonedHold[]> {
  const requestIds = rows.map(({ requestId }) => requestId);
  const charged = await chargesOf(db, requestIds);
  const targets = await mcpTargetsOf(db, requestIds);
  return rows.map((row) =>
    represent(row, charged.get(row.requestId), targets.get(row.requestId) ?? null),
  );
}

function represent(
  row: BudgetRequest,
  chargedNanoUsd: bigint | undefined,
  mcp: rest.AbandonedHold['mcp'],
): rest.AbandonedHold {
  return {
    requestId: row.requestId,
    organisationId: row.organisationId,
    teamId: row.teamId,
    userId: row.userId,
    apiKeyId: row.apiKeyId,
    modelId: row.modelId,
    mcp,
    state: row.state === 'RESOLVED' ? 'RESOLVED' : 'ABANDONED',
    chargedUsd: chargedNanoUsd === undefined ? null : formatUsd(chargedNanoUsd),
    authorisedAt: row.authorisedAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
    resolvedAt: row.resolvedAt?.toISOString() ?? null,
    resolvedBy: row.resolvedBy,
  };
}
