import { restError, type rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import { IsNull, Not, type EntityManager } from 'typeorm';

import { ApiKey } from '../../entities/api-key.entity';
import { Budget } from '../../entities/budget.entity';
import { Organisation, type OrganisationStatus } from '../../entities/organisation.entity';
import { Quota } from '../../entities/quota.entity';
import type { Call } from '../../rest/call';
import { definedFields } from '../../rest/defined-fields';
import { idKey, likePattern, readPage } from '../../rest/paging';
import { assertBodyRules, type BodyRules } from './body-rules';

export function represent(row: Organisation): rest.Organisation {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    status: row.status,
    timeZone: row.timeZone,
    routingEnabled: row.routingEnabled,
    openCompatRoutes: row.openCompatRoutes,
    routeCompatRequests: row.routeCompatRequests,
    tellUpstreamModel: row.tellUpstreamModel,
    sendOutputBound: row.sendOutputBound,
    traceContent: row.traceContent,
    allowedRegions: row.allowedRegions,
    tagKeys: row.tagKeys,
    refuseUnknownTags: row.refuseUnknownTags,
    retentionDays: row.retentionDays,
    keepDecisions: row.keepDecisions,
    keepDecisionsDays: row.keepDecisionsDays,
    responseCache: row.responseCache,
    responseCacheTtlSeconds: row.responseCacheTtlSeconds,
    responseCachePricePercent: row.responseCachePricePercent,
    keepRequestBodies: row.keepRequestBodies,
    keepAnswerBodies: row.keepAnswerBodies,
    keptBodiesPercent: row.keptBodiesPercent,
    keptBodiesOnlyFailed: row.keptBodiesOnlyFailed,
    keptBodiesDays: row.keptBodiesDays,
    keptBodiesForOperators: row.keptBodiesForOperators,
    billingName: row.billingName,
    billingAddress: row.billingAddress,
    taxNumber: row.taxNumber,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

export async function list(
  call: Call<typeof rest.listOrganisations>,
): Promise<rest.PageOf<rest.Organisation>> {
  const { query } = call;
  const rows = call.db.createQueryBuilder(Organisation, 'organisation');
  if (query.status !== undefined) {
    rows.andWhere('organisation.status = :status', { status: query.status });
  }
  if (query.search !== undefined) {
    rows.andWhere('(organisation.name ILIKE :search OR organisation.slug ILIKE :search)', {
      search: likePattern(query.search),
    });
  }
  const id = idKey<Organisation>('organisation.id');
  const page = await readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    total: query.total,
    sort: query.sort ?? '-createdAt',
    id,
    keys: {
      createdAt: id,
      name: { column: 'organisation.name', of: (row) => row.name },
      slug: { column: 'organisation.slug', of: (row) => row.slug },
    },
  });
  return { data: page.rows.map(represent), nextCursor: page.nextCursor, matching: page.matching };
}

export async function get(db: EntityManager, id: string): Promise<rest.Organisation> {
  const found = await db.findOneBy(Organisation, { id });
  if (found === null) throw restError('not_found');
  return represent(found);
}

export async function create(
  call: Call<typeof rest.createOrganisation>,
  rules: BodyRules,
): Promise<rest.Organisation> {
  assertBodyRules(call, rules, call.body);
  const id = uuidv7();
  await call.db.insert(Organisation, { id, ...call.body });
  const after = await get(call.db, id);
  call.changed({
    action: 'organisation.create',
    organisationId: id,
    target: { type: 'organisation', id },
    after,
  });
  return after;
}

type Changing = Pick<
  Call<typeof rest.updateOwnOrganisation>,
  'actor' | 'db' | 'params' | 'expectMatch' | 'changed'
>;

/** A new time zone moves the borders of windows, so their counters are reseeded from the books. */
export async function update(
  call: Changing,
  patch: Partial<rest.OrganisationPatch>,
  rules: BodyRules,
): Promise<rest.Organisation> {
  const { db } = call;
  const id = call.params.organisationId;
  const before = await locked(db, id);
  call.expectMatch(represent(before));
  if (before.status === 'ARCHIVED') {
    throw restError('conflict', 'The organisation is archived; it can no longer be changed.');
  }
  assertBodyRules(call, rules, patch, before);
  await db.update(Organisation, { id }, definedFields(patch));
  const after = await get(db, id);
  call.changed({
    action: 'organisation.update',
    organisationId: id,
    target: { type: 'organisation', id },
    before: represent(before),
    after,
    news: [
      { kind: 'ORGANISATION', organisationId: id, limitIds: await movedLimits(db, before, after) },
    ],
  });
  return after;
}

/** Limits whose windows move with the time zone; their counters are reseeded. */
async function movedLimits(
  db: EntityManager,
  before: Organisation,
  after: rest.Organisation,
): Promise<string[]> {
  if (before.timeZone === after.timeZone) return [];
  const where = { organisationId: before.id };
  const budgets = await db.find(Budget, { select: { id: true }, where });
  const quotas = await db.find(Quota, {
    select: { id: true },
    where: { ...where, period: Not(IsNull()) },
  });
  return [...budgets, ...quotas].map(({ id }) => id);
}

const verbs: Readonly<Record<OrganisationStatus, string>> = {
  ACTIVE: 'resume',
  SUSPENDED: 'suspend',
  ARCHIVED: 'archive',
};

type Switching = Call<
  typeof rest.suspendOrganisation | typeof rest.resumeOrganisation | typeof rest.archiveOrganisation
>;

/** Archiving is final. Setting the current status again is a no-op. */
export async function setStatus(
  call: Switching,
  status: OrganisationStatus,
): Promise<rest.Organisation> {
  const { db } = call;
  const id = call.params.organisationId;
  const before = await locked(db, id);
  call.expectMatch(represent(before));
  if (before.status === status) return represent(before);
  if (before.status === 'ARCHIVED') {
    throw restError('conflict', 'The organisation is archived; it can no longer be changed.');
  }
  await db.update(Organisation, { id }, { status });
  if (status === 'ARCHIVED') {
    await db.update(
      ApiKey,
      { organisationId: id, status: 'ACTIVE' },
      { status: 'REVOKED', revokedAt: new Date(call.nowMs) },
    );
  }
  const after = await get(db, id);
  call.changed({
    action: `organisation.${verbs[status]}`,
    organisationId: id,
    target: { type: 'organisation', id },
    before: represent(before),
    after,
    news: [{ kind: 'ORGANISATION', organisationId: id }],
  });
  return after;
}

async function locked(db: EntityManager, id: string): Promise<Organisation> {
  const found = await db.findOne(Organisation, {
    where: { id },
    lock: { mode: 'pessimistic_write' },
  });
  if (found === null) throw restError('not_found');
  return found;
}
