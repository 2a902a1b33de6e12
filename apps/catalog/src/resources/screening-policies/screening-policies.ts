import { isDeepStrictEqual } from 'node:util';
import {
  asksService,
  restError,
  SCREENING_LIMITS,
  screeningRules,
  type rest,
  type ScreeningRule,
} from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import { compileSchemas, createProgram, RuleError } from '@tollgate/screening';
import { In } from 'typeorm';

import { ScreeningPolicyVersion } from '../../entities/screening-policy-version.entity';
import { ScreeningPolicy } from '../../entities/screening-policy.entity';
import { ScreeningService } from '../../entities/screening-service.entity';
import type { Call } from '../../rest/call';
import { definedFields } from '../../rest/defined-fields';
import { conflict, invalid } from '../../rest/field-errors';
import { idKey, likePattern, readByAge, readPage } from '../../rest/paging';
import { addVersion } from './add-version';
import { assertAttachments } from './attachments';

type Within = Pick<Call, 'db' | 'organisation'>;

function represent(row: ScreeningPolicy): rest.ScreeningPolicy {
  return {
    id: row.id,
    organisationId: row.organisationId,
    identifier: row.identifier,
    name: row.name,
    attachedTo: row.attachedTo,
    // An older release saved rules without fields that have come since.
    rules: screeningRules.parse(row.rules),
    status: row.status,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

export async function list(
  call: Call<typeof rest.listScreeningPolicies>,
): Promise<rest.PageOf<rest.ScreeningPolicy>> {
  const { db, organisation, query } = call;
  const rows = db
    .createQueryBuilder(ScreeningPolicy, 'policy')
    .where('policy.organisationId = :organisationId', { organisationId: organisation.id });
  if (query.status !== undefined) rows.andWhere('policy.status = :status', query);
  if (query.search !== undefined) {
    rows.andWhere('(policy.name ILIKE :search OR policy.identifier ILIKE :search)', {
      search: likePattern(query.search),
    });
  }
  const id = idKey<ScreeningPolicy>('policy.id');
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

export async function listVersions(
  call: Call<typeof rest.listScreeningPolicyVersions>,
): Promise<rest.PageOf<rest.ScreeningPolicyVersion>> {
  const { db, params, query } = call;
  const { id: policyId } = await findPolicy(call, params.screeningPolicyId);
  const rows = db
    .createQueryBuilder(ScreeningPolicyVersion, 'version')
    .where('version.policyId = :policyId', { policyId });
  const id = idKey<ScreeningPolicyVersion>('version.id');
  const page = await readByAge(rows, query, id, 'version');
  const data = page.rows.map(({ createdAt, createdBy, rules, version }) => ({
    version,
    rules: screeningRules.parse(rules),
    createdAt: createdAt.toISOString(),
    createdBy,
  }));
  return { data, nextCursor: page.nextCursor, matching: page.matching };
}

export async function get(
  call: Call<typeof rest.getScreeningPolicy>,
): Promise<rest.ScreeningPolicy> {
  return represent(await findPolicy(call, call.params.screeningPolicyId));
}

export async function create(
  call: Call<typeof rest.createScreeningPolicy>,
): Promise<rest.ScreeningPolicy> {
  const { body, db, organisation } = call;
  await assertRules(body.rules);
  await assertServices(call, body.rules);
  await assertFree(call, body.identifier);
  await assertRoom(call, body.rules);
  await assertAttachments(call, body.attachedTo);
  const id = uuidv7();
  const organisationId = organisation.id;
  await db.insert(ScreeningPolicy, { id, organisationId, ...body, version: 1 });
  await addVersion(call, id, 1, body.rules);
  const after = represent(await findPolicy(call, id));
  noteChange(call, 'create', id, { after });
  return after;
}

export async function update(
  call: Call<typeof rest.updateScreeningPolicy>,
): Promise<rest.ScreeningPolicy> {
  const { db, nowMs } = call;
  const id = call.params.screeningPolicyId;
  const before = represent(await findPolicy(call, id, true));
  call.expectMatch(before);
  const fields = definedFields(call.body);
  const { attachedTo, identifier, rules } = fields;
  if (identifier !== undefined && identifier !== before.identifier) {
    await assertFree(call, identifier);
  }
  if (attachedTo !== undefined) await assertAttachments(call, attachedTo, before.attachedTo);
  let { version } = before;
  // Records name the identifier with the version, and edges keep both.
  const renamed = identifier !== undefined && identifier !== before.identifier;
  if (renamed || (rules !== undefined && !isDeepStrictEqual(rules, before.rules))) {
    if (rules !== undefined) {
      await assertRules(rules);
      await assertServices(call, rules);
      await assertRoom(call, rules, id);
    }
    version += 1;
    await addVersion(call, id, version, rules ?? before.rules);
  }
  await db.update(ScreeningPolicy, { id }, { ...fields, version, updatedAt: new Date(nowMs) });
  const after = represent(await findPolicy(call, id));
  noteChange(call, 'update', id, { before, after });
  return after;
}

export async function remove(call: Call<typeof rest.deleteScreeningPolicy>): Promise<void> {
  const id = call.params.screeningPolicyId;
  const before = represent(await findPolicy(call, id, true));
  call.expectMatch(before);
  await call.db.delete(ScreeningPolicy, { id });
  noteChange(call, 'delete', id, { before });
}

export async function findPolicy(
  { db, organisation }: Within,
  id: string,
  lock = false,
): Promise<ScreeningPolicy> {
  const found = await db.findOne(ScreeningPolicy, {
    where: { id, organisationId: organisation.id },
    ...(lock ? { lock: { mode: 'pessimistic_write' as const } } : {}),
  });
  if (found === null) throw restError('not_found');
  return found;
}

/** Throws an error that names the rule which cannot be compiled. */
export async function assertRules(rules: readonly ScreeningRule[]): Promise<void> {
  const named = rules.map((rule) => ({ policy: 'saved', version: 1, rule }));
  try {
    createProgram(named, { schemas: await compileSchemas(named) });
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    throw invalid(`rules[${error.rule}].${error.field}`, error.message);
  }
}

/** Limits what all policies of an organisation may cost a request. `own`: the policy that changes. */
async function assertRoom(
  { db, organisation }: Within,
  rules: readonly ScreeningRule[],
  own?: string,
): Promise<void> {
  const present = await db.find(ScreeningPolicy, {
    select: { id: true, rules: true },
    where: { organisationId: organisation.id },
  });
  const others = present.filter(({ id }) => id !== own);
  if (others.length >= SCREENING_LIMITS.policies) {
    throw conflict(
      'identifier',
      `an organisation has at most ${SCREENING_LIMITS.policies} policies`,
    );
  }
  const patterns = [rules, ...others.map((policy) => policy.rules)]
    .flat()
    .reduce((sum, rule) => sum + (rule.kind === 'REGEX' ? rule.patterns.length : 0), 0);
  if (patterns > SCREENING_LIMITS.patternsTogether) {
    const most = SCREENING_LIMITS.patternsTogether;
    throw invalid('rules', `all policies together have ${patterns} patterns; at most ${most}`);
  }
}

/** Plugins answer more than others can. */
const OWN_PROTOCOLS: ReadonlySet<string> = new Set([
  'TOLLGATE_HTTP',
  'TOLLGATE_GRPC',
  'JAVASCRIPT',
]);

async function assertServices(
  { db, organisation }: Within,
  rules: readonly ScreeningRule[],
): Promise<void> {
  const asked = rules.flatMap((rule) => (asksService(rule) ? [rule.service] : []));
  if (asked.length === 0) return;
  // Locked, so that none is deleted before the rules are saved.
  const known = await db.find(ScreeningService, {
    where: { organisationId: organisation.id, identifier: In(asked) },
    lock: { mode: 'pessimistic_read' },
  });
  for (const [at, rule] of rules.entries()) {
    if (!asksService(rule)) continue;
    const service = known.find(({ identifier }) => identifier === rule.service);
    if (!service) throw invalid(`rules[${at}].service`, 'is no screening service of yours');
    if (rule.kind === 'PLUGIN' && !OWN_PROTOCOLS.has(service.protocol.type)) {
      throw invalid(`rules[${at}].service`, "must speak one of the gateway's own protocols");
    }
  }
}

async function assertFree({ db, organisation }: Within, identifier: string): Promise<void> {
  const organisationId = organisation.id;
  if (await db.existsBy(ScreeningPolicy, { organisationId, identifier })) {
    throw conflict('identifier', 'a screening policy of this organisation has this identifier');
  }
}

function noteChange(
  call: Pick<Call, 'changed' | 'organisation'>,
  verb: 'create' | 'update' | 'delete',
  id: string,
  states: { before?: rest.ScreeningPolicy; after?: rest.ScreeningPolicy },
): void {
  const organisationId = call.organisation.id;
  call.changed({
    action: `screening-policy.${verb}`,
    organisationId,
    target: { type: 'screening-policy', id },
    ...states,
    news: [{ kind: 'SCREENING_POLICY', organisationId }],
  });
}
