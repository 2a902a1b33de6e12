import type { rest, RoutingStrategy } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import { In } from 'typeorm';

import { ApiKey } from '../../entities/api-key.entity';
import { ModelAlias } from '../../entities/model-alias.entity';
import { Model } from '../../entities/model.entity';
import { RoutingPolicy } from '../../entities/routing-policy.entity';
import type { Call } from '../../rest/call';
import { definedFields } from '../../rest/defined-fields';
import { conflict, invalid } from '../../rest/field-errors';
import { idKey, likePattern, readPage } from '../../rest/paging';
import { findRoutingPolicy } from './find-routing-policy';

function represent(row: RoutingPolicy): rest.RoutingPolicy {
  return {
    id: row.id,
    organisationId: row.organisationId,
    name: row.name,
    strategy: row.strategy,
    candidates: row.candidates,
    failoverTriggers: row.failoverTriggers,
    timeouts: row.timeouts,
    totalTimeoutMs: row.totalTimeoutMs,
    retries: row.retries,
    hedgeAfterMs: row.hedgeAfterMs,
    status: row.status === 'ACTIVE' ? 'ACTIVE' : 'DISABLED',
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

export async function list(
  call: Call<typeof rest.listRoutingPolicies>,
): Promise<rest.PageOf<rest.RoutingPolicy>> {
  const { query, db } = call;
  const rows = db
    .createQueryBuilder(RoutingPolicy, 'policy')
    .where(`policy.organisationId = :organisationId AND policy.status <> 'ARCHIVED'`, {
      organisationId: call.organisation.id,
    });
  if (query.status !== undefined) rows.andWhere('policy.status = :status', query);
  if (query.modelId !== undefined) {
    rows.andWhere('policy.candidates @> :candidate::jsonb', {
      candidate: JSON.stringify([{ modelId: query.modelId }]),
    });
  }
  if (query.search !== undefined) {
    rows.andWhere('policy.name ILIKE :search', { search: likePattern(query.search) });
  }
  const id = idKey<RoutingPolicy>('policy.id');
  const page = await readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    total: query.total,
    sort: query.sort ?? 'name',
    id,
    keys: { createdAt: id, name: { column: 'policy.name', of: (row) => row.name } },
  });
  return { data: page.rows.map(represent), nextCursor: page.nextCursor, matching: page.matching };
}

export async function get(call: Call<typeof rest.getRoutingPolicy>): Promise<rest.RoutingPolicy> {
  return represent(await findRoutingPolicy(call, call.params.routingPolicyId));
}

export async function create(
  call: Call<typeof rest.createRoutingPolicy>,
): Promise<rest.RoutingPolicy> {
  const { db, organisation } = call;
  const { strategy, candidates, ...fields } = call.body;
  await assertFree(call, fields.name);
  await assertCandidates(call, candidates);
  const id = uuidv7();
  await db.insert(RoutingPolicy, {
    id,
    organisationId: organisation.id,
    ...fields,
    strategy: named(strategy),
    candidates: placed(candidates),
  });
  const after = represent(await findRoutingPolicy(call, id));
  noteChange(call, 'create', id, { after });
  return after;
}

export async function update(
  call: Call<typeof rest.updateRoutingPolicy>,
): Promise<rest.RoutingPolicy> {
  const { db, nowMs } = call;
  const id = call.params.routingPolicyId;
  const before = represent(await findRoutingPolicy(call, id, true));
  call.expectMatch(before);
  const { strategy, candidates, ...fields } = definedFields(call.body);
  if (fields.name !== undefined && fields.name !== before.name) await assertFree(call, fields.name);
  if (candidates !== undefined) {
    await assertCandidates(call, candidates, before.candidates);
  }
  await db.update(
    RoutingPolicy,
    { id },
    {
      ...fields,
      ...(strategy === undefined ? {} : { strategy: named(strategy) }),
      ...(candidates === undefined ? {} : { candidates: placed(candidates) }),
      updatedAt: new Date(nowMs),
    },
  );
  const after = represent(await findRoutingPolicy(call, id));
  noteChange(call, 'update', id, { before, after });
  return after;
}

export async function remove(call: Call<typeof rest.deleteRoutingPolicy>): Promise<void> {
  const { db } = call;
  const id = call.params.routingPolicyId;
  const before = represent(await findRoutingPolicy(call, id, true));
  call.expectMatch(before);
  const keys = await db.countBy(ApiKey, { routingPolicyId: id, kind: 'NORMAL', status: 'ACTIVE' });
  if (keys > 0) {
    throw conflict(
      'routingPolicyId',
      `${String(keys)} keys use this policy: remove it from them first`,
    );
  }
  // Revoked keys drop the reference too.
  await db.update(ApiKey, { routingPolicyId: id }, { routingPolicyId: null });
  await db.delete(RoutingPolicy, { id });
  noteChange(call, 'delete', id, { before });
}

function noteChange(
  call: Pick<Call, 'changed' | 'organisation'>,
  verb: 'create' | 'update' | 'delete',
  id: string,
  states: { before?: rest.RoutingPolicy; after?: rest.RoutingPolicy },
): void {
  const organisationId = call.organisation.id;
  call.changed({
    action: `routing-policy.${verb}`,
    organisationId,
    target: { type: 'routing-policy', id },
    ...states,
    news: [{ kind: 'ROUTING_POLICY', organisationId }],
  });
}

function named(strategy: rest.RoutingPolicyCreate['strategy']): RoutingStrategy {
  return strategy === 'next_candidate' ? 'failover' : strategy;
}

function placed(candidates: rest.RoutingPolicyCreate['candidates']): rest.RoutingCandidate[] {
  return candidates.map(({ modelId, priority, weight, timeouts }, index) => ({
    modelId,
    priority: priority ?? index + 1,
    weight,
    timeouts,
  }));
}

// A model or an alias takes precedence over a policy of the same name, which could then never be requested.
async function assertFree(call: Pick<Call, 'db' | 'organisation'>, name: string): Promise<void> {
  const organisationId = call.organisation.id;
  if (await call.db.existsBy(Model, { organisationId, name })) {
    throw conflict('name', 'a model of this organisation has this name');
  }
  if (await call.db.existsBy(ModelAlias, { organisationId, name })) {
    throw conflict('name', 'an alias of this organisation has this name');
  }
}

/** Existing candidates of a policy may stay even if their models are no longer valid. */
async function assertCandidates(
  { db, organisation }: Pick<Call, 'db' | 'organisation'>,
  candidates: readonly { readonly modelId: string }[],
  present: readonly { readonly modelId: string }[] = [],
): Promise<void> {
  const known = new Set(present.map(({ modelId }) => modelId));
  const added = candidates.map(({ modelId }) => modelId).filter((id) => !known.has(id));
  const found = await db.findBy(Model, {
    id: In(added),
    organisationId: organisation.id,
    status: In(['ACTIVE', 'DISABLED']),
  });
  for (const { id } of found) known.add(id);
  const missing = candidates.findIndex(({ modelId }) => !known.has(modelId));
  if (missing !== -1) {
    throw invalid(`candidates[${missing}].modelId`, 'no such model in this organisation');
  }
}
