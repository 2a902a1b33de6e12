import { ALIASES_MAX, restError, type rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import { ModelAlias } from '../../entities/model-alias.entity';
import type { Call } from '../../rest/call';
import { definedFields } from '../../rest/defined-fields';
import { conflict } from '../../rest/field-errors';
import { lockOrganisation } from '../../rest/lock-organisation';
import { idKey, likePattern, readPage } from '../../rest/paging';
import { assertNotSplit } from '../experiments/arms';
import { assertTargets, storedTargets, targetAt } from './alias-targets';
import { assertFreeForAlias } from './model-names';
import { storedRetirement } from './retirement';

function represent(row: ModelAlias, nowMs: number): rest.ModelAlias {
  return {
    id: row.id,
    organisationId: row.organisationId,
    name: row.name,
    displayName: row.displayName,
    targets: row.targets,
    currentModelId: targetAt(row.targets, nowMs)?.modelId ?? null,
    retirement: row.retirement,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

export async function list(
  call: Call<typeof rest.listModelAliases>,
): Promise<rest.PageOf<rest.ModelAlias>> {
  const { query, db, nowMs } = call;
  const rows = db
    .createQueryBuilder(ModelAlias, 'alias')
    .where('alias.organisationId = :organisationId', { organisationId: call.organisation.id });
  if (query.modelId !== undefined) {
    rows.andWhere('alias.targets @> :target::jsonb', {
      target: JSON.stringify([{ modelId: query.modelId }]),
    });
  }
  if (query.search !== undefined) {
    rows.andWhere('(alias.name ILIKE :search OR alias.displayName ILIKE :search)', {
      search: likePattern(query.search),
    });
  }
  const id = idKey<ModelAlias>('alias.id');
  const page = await readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    total: query.total,
    sort: query.sort ?? 'name',
    id,
    keys: { createdAt: id, name: { column: 'alias.name', of: (row) => row.name } },
  });
  return {
    data: page.rows.map((row) => represent(row, nowMs)),
    nextCursor: page.nextCursor,
    matching: page.matching,
  };
}

export async function get(call: Call<typeof rest.getModelAlias>): Promise<rest.ModelAlias> {
  return represent(await findAlias(call, call.params.modelAliasId), call.nowMs);
}

export async function create(call: Call<typeof rest.createModelAlias>): Promise<rest.ModelAlias> {
  const { body, db, organisation, nowMs } = call;
  await assertFreeForAlias(call, body.name);
  // The lock on names makes the count exact.
  const present = await db.countBy(ModelAlias, { organisationId: organisation.id });
  if (present >= ALIASES_MAX) {
    throw conflict('name', `an organisation has at most ${String(ALIASES_MAX)} aliases`);
  }
  const retirement = await storedRetirement(call, body.retirement);
  await assertTargets(call, body.targets);
  const id = uuidv7();
  await db.insert(ModelAlias, {
    id,
    organisationId: organisation.id,
    name: body.name,
    displayName: body.displayName,
    targets: storedTargets(body.targets),
    retirement,
  });
  const after = represent(await findAlias(call, id), nowMs);
  noteChange(call, 'create', id, { after });
  return after;
}

export async function update(call: Call<typeof rest.updateModelAlias>): Promise<rest.ModelAlias> {
  const { db, nowMs } = call;
  const id = call.params.modelAliasId;
  if (call.body.name !== undefined) await lockOrganisation(db, 'names', call.organisation.id);
  const before = represent(await findAlias(call, id, true), nowMs);
  call.expectMatch(before);
  const { retirement, targets, ...fields } = definedFields(call.body);
  if (fields.name !== undefined && fields.name !== before.name) {
    await assertFreeForAlias(call, fields.name);
    await assertNotSplit(call, before.name);
  }
  if (targets !== undefined) await assertTargets(call, targets, before.targets);
  await db.update(
    ModelAlias,
    { id },
    {
      ...fields,
      ...(targets === undefined ? {} : { targets: storedTargets(targets) }),
      ...(retirement === undefined ? {} : { retirement: await storedRetirement(call, retirement) }),
      updatedAt: new Date(nowMs),
    },
  );
  const after = represent(await findAlias(call, id), nowMs);
  noteChange(call, 'update', id, { before, after });
  return after;
}

/** Records keep the name, so the row is not needed. */
export async function remove(call: Call<typeof rest.deleteModelAlias>): Promise<void> {
  const id = call.params.modelAliasId;
  const before = represent(await findAlias(call, id, true), call.nowMs);
  call.expectMatch(before);
  await assertNotSplit(call, before.name);
  await call.db.delete(ModelAlias, { id });
  noteChange(call, 'delete', id, { before });
}

async function findAlias(
  call: Pick<Call, 'db' | 'organisation'>,
  id: string,
  lock = false,
): Promise<ModelAlias> {
  const found = await call.db.findOne(ModelAlias, {
    where: { id, organisationId: call.organisation.id },
    ...(lock ? { lock: { mode: 'pessimistic_write' } } : {}),
  });
  if (found === null) throw restError('not_found');
  return found;
}

function noteChange(
  call: Pick<Call, 'changed' | 'organisation'>,
  verb: 'create' | 'update' | 'delete',
  id: string,
  states: { before?: rest.ModelAlias; after?: rest.ModelAlias },
): void {
  const organisationId = call.organisation.id;
  call.changed({
    action: `model-alias.${verb}`,
    organisationId,
    target: { type: 'model-alias', id },
    ...states,
    news: [{ kind: 'MODEL_ALIAS', organisationId }],
  });
}
