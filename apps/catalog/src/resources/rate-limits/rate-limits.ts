import { restError, type rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import { RateLimit } from '../../entities/rate-limit.entity';
import type { Call } from '../../rest/call';
import { definedFields } from '../../rest/defined-fields';
import { invalid } from '../../rest/field-errors';
import { idKey, readByAge } from '../../rest/paging';
import { keysInScopeOf } from '../limits/keys-in-scope';
import {
  assertReach,
  assertScope,
  assertValueRequired,
  narrowToScope,
  representScope,
} from '../limits/limit-scope';
import { noteLimitChange } from '../limits/note-limit-change';

type InOrganisation = Pick<Call, 'db' | 'organisation' | 'access'>;

function represent(row: RateLimit, keys: Pick<rest.RateLimit, 'keysInScope'>): rest.RateLimit {
  return {
    ...keys,
    id: row.id,
    organisationId: row.organisationId,
    scope: representScope(row),
    requireValue: row.requireValue,
    mode: row.mode,
    status: row.status,
    requestsPerMinute: row.requestsPerMinute,
    tokensPerMinute: row.tokensPerMinute === null ? null : Number(row.tokensPerMinute),
    concurrentRequests: row.concurrentRequests,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

async function representAll(
  { db, organisation }: InOrganisation,
  rows: readonly RateLimit[],
): Promise<rest.RateLimit[]> {
  const keysOf = await keysInScopeOf(db, organisation.id, rows);
  return rows.map((row) => represent(row, keysOf(row)));
}

async function representOne(call: InOrganisation, row: RateLimit): Promise<rest.RateLimit> {
  const keysOf = await keysInScopeOf(call.db, call.organisation.id, [row]);
  return represent(row, keysOf(row));
}

/** Each rate of a row has its own counter. */
function countersOf(id: string): string[] {
  return [`${id}:rpm`, `${id}:tpm`, `${id}:conc`];
}

export async function list(
  call: Call<typeof rest.listRateLimits>,
): Promise<rest.PageOf<rest.RateLimit>> {
  const { query } = call;
  const rows = call.db.createQueryBuilder(RateLimit, 'rate');
  narrowToScope(rows, 'rate', call, query);
  const page = await readByAge(rows, query, idKey<RateLimit>('rate.id'));
  return {
    data: await representAll(call, page.rows),
    nextCursor: page.nextCursor,
    matching: page.matching,
  };
}

export async function get(call: Call<typeof rest.getRateLimit>): Promise<rest.RateLimit> {
  return representOne(call, await findRateLimit(call, call.params.rateLimitId, 'read'));
}

export async function create(call: Call<typeof rest.createRateLimit>): Promise<rest.RateLimit> {
  const { db, organisation } = call;
  const { scope, ...fields } = call.body;
  const id = uuidv7();
  await db.insert(RateLimit, {
    id,
    organisationId: organisation.id,
    ...(await assertScope(call, scope)),
    ...fields,
    tokensPerMinute: stored(fields.tokensPerMinute),
    createdBy: call.actor.id,
  });
  const after = await representOne(call, await db.findOneByOrFail(RateLimit, { id }));
  const counters = countersOf(id);
  noteLimitChange(call, { resource: 'rate-limit', verb: 'create', id, counters, after });
  return after;
}

export async function update(call: Call<typeof rest.updateRateLimit>): Promise<rest.RateLimit> {
  const { db } = call;
  const id = call.params.rateLimitId;
  const row = await findRateLimit(call, id, 'write');
  const before = await representOne(call, row);
  call.expectMatch(before);
  assertValueRequired(row, call.body.requireValue);
  const { tokensPerMinute, ...fields } = definedFields(call.body);
  const tokens = tokensPerMinute === undefined ? {} : { tokensPerMinute: stored(tokensPerMinute) };
  const { requestsPerMinute, concurrentRequests } = row;
  const next = {
    requestsPerMinute,
    concurrentRequests,
    tokensPerMinute: row.tokensPerMinute,
    ...fields,
    ...tokens,
  };
  if (
    next.requestsPerMinute === null &&
    next.tokensPerMinute === null &&
    next.concurrentRequests === null
  ) {
    throw invalid(
      'requestsPerMinute',
      'at least one rate is required; delete the rate limit instead',
    );
  }
  await db.update(RateLimit, { id }, { ...fields, ...tokens });
  const after = await representOne(call, await db.findOneByOrFail(RateLimit, { id }));
  const counters = countersOf(id);
  noteLimitChange(call, { resource: 'rate-limit', verb: 'update', id, counters, before, after });
  return after;
}

export async function remove(call: Call<typeof rest.deleteRateLimit>): Promise<void> {
  const { db } = call;
  const id = call.params.rateLimitId;
  const before = await representOne(call, await findRateLimit(call, id, 'write'));
  call.expectMatch(before);
  await db.delete(RateLimit, { id });
  const counters = countersOf(id);
  noteLimitChange(call, { resource: 'rate-limit', verb: 'delete', id, counters, before });
}

function stored(tokens: number | null): bigint | null {
  return tokens === null ? null : BigInt(tokens);
}

async function findRateLimit(
  call: InOrganisation,
  id: string,
  purpose: 'read' | 'write',
): Promise<RateLimit> {
  const found = await call.db.findOne(RateLimit, {
    where: { id, organisationId: call.organisation.id },
    ...(purpose === 'write' ? { lock: { mode: 'pessimistic_write' } } : {}),
  });
  if (found === null) throw restError('not_found');
  await assertReach(call, found, purpose);
  return found;
}
