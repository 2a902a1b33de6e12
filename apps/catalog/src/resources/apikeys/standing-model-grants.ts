import { rest, type ModelGrant } from '@tollgate/contracts';
import { In, type EntityManager } from 'typeorm';
import { z } from 'zod';

import { Provider } from '../../entities/provider.entity';
import type { Call } from '../../rest/call';
import { invalid } from '../../rest/field-errors';
import { ApiKeyModelGrant } from './api-key-model-grant.entity';

/**
 * Standing grants of keys: all models, all models of a provider, or all whose name matches a
 * pattern. Single models are in ./single-model-grants.
 */

// Of LIKE's special characters, names and patterns can contain only the underscore.
const LIKE_OF_PATTERN = String.raw`replace(replace(g.pattern, '_', '\_'), '*', '%')`;

/** SQL: whether the standing grant `g` covers the model `m`. Must agree with `givesModel`. */
const GIVES = `(g.organisation_id = m.organisation_id AND CASE g.kind
    WHEN 'ALL' THEN true
    WHEN 'PROVIDER' THEN g.provider_id = m.provider_id
    WHEN 'PATTERN' THEN m.name LIKE ${LIKE_OF_PATTERN}
    ELSE false END)`;

/** SQL: whether the key may use the model `m`, by a single or a standing grant. */
export const mayUseModel = (apiKeyId: string): string => `(
  EXISTS (SELECT FROM api_key_model_access a WHERE a.model_id = m.id AND a.api_key_id = ${apiKeyId} )
  OR EXISTS (SELECT FROM api_key_model_grant g WHERE g.api_key_id = ${apiKeyId} AND ${GIVES}))`;

/** SQL: whether the key `k` is active and belongs to the caller or to one of the caller's teams. */
export const KEY_OF_SELF = `(k.kind = 'NORMAL' AND k.status = 'ACTIVE'
  AND (k.expires_at IS NULL OR k.expires_at > :now)
  AND (k.user_id = :selfId OR (k.type = 'TEAM' AND k.team_id = ANY(:selfTeamIds::uuid[]))))`;

const stored = z.array(z.object({ apiKeyId: z.string(), grant: rest.modelGrant }));

/** The standing grants by key, in the order given. */
export async function standingGrantsOf(
  db: EntityManager,
  apiKeyIds: readonly string[],
): Promise<Map<string, rest.ModelGrant[]>> {
  if (apiKeyIds.length === 0) return new Map();
  const rows = stored.parse(
    await db.query(
      `SELECT api_key_id AS "apiKeyId", json_strip_nulls(json_build_object(
         'kind', kind, 'providerId', provider_id, 'pattern', pattern)) AS "grant"
       FROM api_key_model_grant WHERE api_key_id = ANY($1::uuid[]) ORDER BY api_key_id, place`,
      [apiKeyIds],
    ),
  );
  const grants = new Map<string, rest.ModelGrant[]>();
  for (const { apiKeyId, grant } of rows) {
    grants.set(apiKeyId, [...(grants.get(apiKeyId) ?? []), grant]);
  }
  return grants;
}

/** Replaces the standing grants of a key. */
export async function setStandingGrants(
  tx: EntityManager,
  organisationId: string,
  apiKeyId: string,
  grants: readonly ModelGrant[],
): Promise<void> {
  await tx.delete(ApiKeyModelGrant, { apiKeyId });
  await tx.insert(
    ApiKeyModelGrant,
    grants.map((grant, place) => ({ apiKeyId, place, organisationId, ...grant })),
  );
}

type Caller = Pick<Call, 'db' | 'organisation' | 'access' | 'nowMs'>;

/**
 * Refuses providers that do not exist, and grants that the caller may not give. Administrators and
 * team managers may give any; a user only those that one of their keys or teams has literally, or
 * covers by all models. Existing grants of the key may stay.
 */
export async function assertStandingGrantable(
  call: Caller,
  grants: readonly ModelGrant[],
  present: readonly ModelGrant[] = [],
): Promise<void> {
  const kept = new Set(present.map(wordsOf));
  const added = grants.flatMap((grant, place) =>
    kept.has(wordsOf(grant)) ? [] : [{ grant, place }],
  );
  if (added.length === 0) return;
  if (call.access.reach === 'self') {
    const own = await grantsOfSelf(call);
    const refused = added.find(({ grant }) => !own.has(ALL) && !own.has(wordsOf(grant)));
    if (refused !== undefined) {
      throw invalid(`modelGrants[${refused.place}]`, 'none of your keys and teams has this grant');
    }
  }
  const known = await providersAmong(call, added);
  for (const { grant, place } of added) {
    if (grant.kind !== 'PROVIDER' || known.has(grant.providerId)) continue;
    throw invalid(`modelGrants[${place}].providerId`, 'no such provider in this organisation');
  }
}

/** Locks the rows for sharing, so that no provider is deleted before the grant commits. */
async function providersAmong(
  { db, organisation }: Caller,
  added: readonly { readonly grant: ModelGrant }[],
): Promise<Set<string>> {
  const ids = added.flatMap(({ grant }) => (grant.kind === 'PROVIDER' ? [grant.providerId] : []));
  if (ids.length === 0) return new Set();
  const rows = await db.find(Provider, {
    where: {
      id: In(ids),
      organisationId: organisation.id,
      status: In(['ACTIVE', 'DISABLED']),
    },
    lock: { mode: 'pessimistic_read' },
  });
  return new Set(rows.map(({ id }) => id));
}

async function grantsOfSelf({ db, organisation, access, nowMs }: Caller): Promise<Set<string>> {
  const rows = await db
    .createQueryBuilder(ApiKeyModelGrant, 'g')
    .innerJoin('api_key', 'k', 'k.id = g.apiKeyId')
    .where(`g.organisationId = :organisationId AND ${KEY_OF_SELF}`, {
      organisationId: organisation.id,
      selfId: access.userId,
      selfTeamIds: [...access.teamIds],
      now: new Date(nowMs),
    })
    .getMany();
  return new Set(rows.map(({ kind, providerId, pattern }) => words(kind, providerId ?? pattern)));
}

const words = (kind: string, of: string | null = null): string => `${kind} ${of ?? ''}`;
const ALL = words('ALL');

/** A text that is equal for equal grants. */
function wordsOf(grant: ModelGrant): string {
  switch (grant.kind) {
    case 'ALL':
      return ALL;
    case 'PROVIDER':
      return words(grant.kind, grant.providerId.toLowerCase());
    case 'PATTERN':
      return words(grant.kind, grant.pattern);
  }
}
