import { rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import { In, type EntityManager } from 'typeorm';

import { freedName } from '../../entities/freed-name';
import { Model } from '../../entities/model.entity';
import type { Price } from '../../entities/price.entity';
import { Provider } from '../../entities/provider.entity';
import type { Known } from '../../known-models/known-models';
import type { Call } from '../../rest/call';
import { definedFields } from '../../rest/defined-fields';
import { invalid } from '../../rest/field-errors';
import { lockOrganisation } from '../../rest/lock-organisation';
import { idKey, likePattern, readPage } from '../../rest/paging';
import { ApiKeyModelAccess } from '../apikeys/api-key-model-access.entity';
import { assertNoArm, assertNotSplit } from '../experiments/arms';
import { endLimitsOf } from '../limits/end-limits';
import { bySpend, joinMonthSpend, monthSpendOf } from '../spend/month-spend';
import { assertNoTarget } from './alias-targets';
import { findModel } from './find-model';
import { knownOf, listPriceOf } from './list-price';
import { assertNoAlias } from './model-names';
import { currentPrices, insertPrice, representPrice } from './prices';
import { assertNoReplacement, storedRetirement } from './retirement';
import { unservedReason } from './unserved-reason';

function represent(row: Model, price: Price | undefined, known: Known | undefined): rest.Model {
  return {
    id: row.id,
    organisationId: row.organisationId,
    name: row.name,
    providerId: row.providerId,
    upstreamModel: row.upstreamModel,
    type: row.type,
    contextTokens: row.contextTokens,
    defaultMaxOutputTokens: row.defaultMaxOutputTokens,
    displayName: row.displayName,
    maxOutputTokens: row.maxOutputTokens,
    maxToolCalls: row.maxToolCalls,
    capabilities: row.capabilities,
    allowedRegions: row.allowedRegions,
    retirement: row.retirement,
    status: row.status === 'ACTIVE' ? 'ACTIVE' : 'DISABLED',
    currentPrice: price === undefined ? null : representPrice(price),
    listPrice: listPriceOf(known, price),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

export async function list(
  call: Call<typeof rest.listModels>,
): Promise<rest.PageOf<rest.ListedModel>> {
  const { query, db } = call;
  const rows = db
    .createQueryBuilder(Model, 'model')
    .where(`model.organisationId = :organisationId AND model.status <> 'ARCHIVED'`, {
      organisationId: call.organisation.id,
    });
  if (query.type !== undefined) rows.andWhere('model.type = :type', { type: query.type });
  if (query.status !== undefined) rows.andWhere('model.status = :status', { status: query.status });
  if (query.providerId !== undefined) {
    rows.andWhere('model.providerId = :providerId', { providerId: query.providerId });
  }
  if (query.search !== undefined) {
    rows.andWhere('(model.name ILIKE :search OR model.upstreamModel ILIKE :search)', {
      search: likePattern(query.search),
    });
  }
  joinMonthSpend(rows, call, { owner: 'model_id', id: 'model.id' });
  const id = idKey<Model>('model.id');
  const page = await readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    total: query.total,
    sort: query.sort ?? 'name',
    id,
    keys: {
      createdAt: id,
      name: { column: 'model.name', of: (row) => row.name },
      spentUsd: bySpend<Model>(),
    },
  });
  const ids = page.rows.map((row) => row.id);
  const prices = await currentPrices(db, ids, call.nowMs);
  const known = await knownOf(db, page.rows);
  const spent = await monthSpendOf(call, 'model_id', ids);
  return {
    data: page.rows.map((row) => ({
      ...represent(row, prices.get(row.id), known.get(row.id)),
      spentUsd: spent(row.id),
    })),
    nextCursor: page.nextCursor,
    matching: page.matching,
  };
}

export async function get(call: Call<typeof rest.getModel>): Promise<rest.Model> {
  return withPrice(call.db, await findModel(call, call.params.modelId), call.nowMs);
}

export async function create(call: Call<typeof rest.createModel>): Promise<rest.Model> {
  const { db, organisation, nowMs } = call;
  const { prices, upstreamModel, ...fields } = call.body;
  const retirement = await storedRetirement(call, fields.retirement);
  await assertServed(call, fields);
  await assertNoAlias(call, fields.name);
  const id = uuidv7();
  await db.insert(Model, {
    id,
    organisationId: organisation.id,
    ...fields,
    upstreamModel: upstreamModel ?? fields.name,
    retirement,
    defaultMaxOutputTokens: rest.assumedOutputOf(fields),
  });
  assertDistinct(prices);
  const owner = { organisationId: organisation.id, modelId: id, createdBy: call.actor.id };
  for (const price of prices) await insertPrice(db, owner, price, nowMs);
  const after = await withPrice(db, await findModel(call, id), nowMs);
  call.changed({
    action: 'model.create',
    organisationId: organisation.id,
    target: { type: 'model', id },
    after: { ...after, prices },
    news: [{ kind: 'MODEL', organisationId: organisation.id }],
  });
  return after;
}

export async function update(call: Call<typeof rest.updateModel>): Promise<rest.Model> {
  const { db, organisation, nowMs } = call;
  const id = call.params.modelId;
  // Before any row: whoever creates an alias takes the lock on names first as well.
  if (call.body.name !== undefined) await lockOrganisation(db, 'names', organisation.id);
  const before = await withPrice(db, await findModel(call, id, true), nowMs);
  call.expectMatch(before);
  const { providerId, type } = call.body;
  // Only a new provider or type is checked: a model that became unserved can otherwise still be
  // edited.
  const moved = providerId !== undefined && providerId !== before.providerId;
  if (moved || (type !== undefined && type !== before.type)) {
    const { providerId: ofBefore, type: typeBefore } = before;
    await assertServed(call, { providerId: providerId ?? ofBefore, type: type ?? typeBefore });
  }
  const { retirement, ...fields } = definedFields(call.body);
  if (fields.name !== undefined && fields.name !== before.name) {
    await assertNoAlias(call, fields.name);
    await assertNotSplit(call, before.name);
  }
  await db.update(
    Model,
    { id },
    retirement === undefined
      ? fields
      : { ...fields, retirement: await storedRetirement(call, retirement, id) },
  );
  const after = await withPrice(db, await findModel(call, id), nowMs);
  call.changed({
    action: 'model.update',
    organisationId: organisation.id,
    target: { type: 'model', id },
    before,
    after,
    news: [{ kind: 'MODEL', organisationId: organisation.id }],
  });
  return after;
}

/** Keeps the row for records that name it, and frees its name. */
export async function remove(call: Call<typeof rest.deleteModel>): Promise<void> {
  const { db, organisation, nowMs } = call;
  const id = call.params.modelId;
  const row = await findModel(call, id, true);
  const before = await withPrice(db, row, nowMs);
  call.expectMatch(before);
  await assertNoTarget(call, id);
  await assertNoArm(call, id);
  await assertNotSplit(call, row.name);
  await assertNoReplacement(call, id);
  await db.update(Model, { id }, { status: 'ARCHIVED', name: freedName(row.name, id) });
  await db.delete(ApiKeyModelAccess, { modelId: id });
  await endLimitsOf(db, organisation.id, 'MODEL', id);
  call.changed({
    action: 'model.delete',
    organisationId: organisation.id,
    target: { type: 'model', id },
    before,
    news: [{ kind: 'MODEL', organisationId: organisation.id }],
  });
}

async function withPrice(db: EntityManager, row: Model, nowMs: number): Promise<rest.Model> {
  const prices = await currentPrices(db, [row.id], nowMs);
  const known = await knownOf(db, [row]);
  return represent(row, prices.get(row.id), known.get(row.id));
}

/** Locked for sharing, so that it is not deleted before the model commits. */
async function lockedProvider(
  call: Pick<Call, 'db' | 'organisation'>,
  id: string,
): Promise<Provider> {
  const found = await call.db.findOne(Provider, {
    where: { id, organisationId: call.organisation.id, status: In(['ACTIVE', 'DISABLED']) },
    lock: { mode: 'pessimistic_read' },
  });
  if (found === null) throw invalid('providerId', 'no such provider in this organisation');
  return found;
}

/** Refuses a model that no route can use at registration, instead of at every request. */
async function assertServed(
  call: Pick<Call, 'db' | 'organisation'>,
  { providerId, type }: Pick<rest.Model, 'providerId' | 'type'>,
): Promise<void> {
  const provider = await lockedProvider(call, providerId);
  const why = (await unservedReason(call, provider))(type);
  if (why !== undefined) throw invalid('type', why);
}

function assertDistinct(prices: readonly rest.PriceCreate[]): void {
  const instants = prices.map(({ effectiveFrom }) =>
    effectiveFrom === undefined ? 'now' : Date.parse(effectiveFrom),
  );
  if (new Set(instants).size < instants.length) {
    throw invalid('prices', 'two prices start at the same instant');
  }
}
