import { formatUsd, rest } from '@tollgate/contracts';
import { z } from 'zod';

import { Organisation } from '../../entities/organisation.entity';
import type { Call } from '../../rest/call';

/** Who still uses models and aliases that come to an end. */

type Db = Call['db'];

const retiredRows = z.array(
  z.object({
    kind: z.enum(['MODEL', 'ALIAS']),
    id: z.string(),
    name: z.string(),
    retirement: rest.retirement,
    replacement: z.string().nullable(),
  }),
);
type Retired = z.output<typeof retiredRows>[number];

/** Names are unique over both tables. */
const RETIRED = `
  SELECT r.kind, r.id, r.name, r.retirement, m.name AS replacement FROM (
    SELECT 'MODEL' AS kind, id, name, retirement FROM model
      WHERE organisation_id = $1 AND status <> 'ARCHIVED' AND retirement IS NOT NULL
    UNION ALL
    SELECT 'ALIAS', id, name, retirement FROM model_alias
      WHERE organisation_id = $1 AND retirement IS NOT NULL
  ) AS r
  LEFT JOIN model m ON m.organisation_id = $1 AND m.status <> 'ARCHIVED'
    AND m.id = (r.retirement ->> 'replacementModelId')::uuid
  WHERE r.name COLLATE "C" > $2 ORDER BY r.name COLLATE "C" LIMIT $3`;

/** From the sums of days, whose number does not grow with the traffic. `$3` and `$4` are days. */
const USES_OF_MODELS = `
  SELECT u.model_id AS "of", u.api_key_id AS "apiKeyId",
    coalesce(sum(u.requests) FILTER (WHERE u.starts >= $4::timestamp), 0)::text AS requests7,
    sum(u.requests)::text AS requests30,
    coalesce(sum(u.cost_nano_usd) FILTER (WHERE u.starts >= $4::timestamp), 0)::text AS cost7,
    sum(u.cost_nano_usd)::text AS cost30, max(u.starts)::date::text AS "lastUsedOn", false AS more
  FROM usage_period u
  WHERE u.organisation_id = $1 AND u.period = 'DAY' AND u.owners AND u.model_id = ANY($2::uuid[])
    AND u.starts >= $3::timestamp
  GROUP BY 1, 2 HAVING sum(u.requests) > 0`;

/**
 * From the records that keep the name that was asked for, by their index: the latest `$6`. One name at a time, because
 * the planner has to know how frequent it is. `$5` is the zone.
 */
export const USES_OF_NAME = `
  SELECT $2::text AS "of", l.api_key_id AS "apiKeyId",
    count(*) FILTER (WHERE l.authorised_at >= $4::timestamp AT TIME ZONE $5)::text AS requests7,
    count(*)::text AS requests30,
    coalesce(sum(l.cost_nano_usd) FILTER (WHERE l.authorised_at >= $4::timestamp AT TIME ZONE $5), 0)::text AS cost7,
    sum(l.cost_nano_usd)::text AS cost30,
    max(l.authorised_at AT TIME ZONE $5)::date::text AS "lastUsedOn",
    sum(count(*)) OVER () >= $6 AS more
  FROM (
    SELECT api_key_id, authorised_at, cost_nano_usd FROM usage_record
    WHERE organisation_id = $1 AND requested_model = $2::text AND requested_model IS NOT NULL
      AND authorised_at >= $3::timestamp AT TIME ZONE $5
    ORDER BY authorised_at DESC LIMIT $6
  ) AS l GROUP BY l.api_key_id`;

const useRows = z.array(
  z.object({
    of: z.string(),
    apiKeyId: z.string(),
    requests7: z.coerce.number(),
    requests30: z.coerce.number(),
    cost7: z.coerce.bigint(),
    cost30: z.coerce.bigint(),
    lastUsedOn: z.string(),
    more: z.boolean(),
  }),
);
type Use = z.output<typeof useRows>[number];

const keyRows = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    teamId: z.string().nullable(),
    teamName: z.string().nullable(),
  }),
);
type Key = z.output<typeof keyRows>[number];

export async function listRetirements(
  call: Call<typeof rest.listRetirements>,
): Promise<rest.PageOf<rest.RetiringName>> {
  const { db, organisation, query } = call;
  const found = retiredRows.parse(
    await db.query(RETIRED, [organisation.id, query.cursor ?? '', query.limit + 1]),
  );
  const retired = found.slice(0, query.limit);
  const uses = await usesOf(call, retired);
  const keys = await keysOf(db, organisation.id, uses);
  const last = retired.at(-1);
  return {
    data: retired.map((one) => represent(one, uses, keys)),
    nextCursor: found.length > query.limit && last !== undefined ? last.name : null,
  };
}

async function usesOf(
  { db, organisation, nowMs }: Pick<Call, 'db' | 'organisation' | 'nowMs'>,
  retired: readonly Retired[],
): Promise<readonly Use[]> {
  if (retired.length === 0) return [];
  const { timeZone } = await db.findOneByOrFail(Organisation, { id: organisation.id });
  const [month, week] = [30, 7].map((days) => firstDay(nowMs, timeZone, days));
  const models = retired.flatMap(({ kind, id }) => (kind === 'MODEL' ? [id] : []));
  const answered = await db.query(USES_OF_MODELS, [organisation.id, models, month, week]);
  const uses = [useRows.parse(answered)];
  for (const { name } of retired) {
    const asked = await db.query(USES_OF_NAME, [
      organisation.id,
      name,
      month,
      week,
      timeZone,
      rest.RETIREMENT_RECORDS,
    ]);
    uses.push(useRows.parse(asked));
  }
  return uses.flat();
}

/** The first of the last days of a calendar, today included. */
export function firstDay(nowMs: number, timeZone: string, days: number): string {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(nowMs);
  return new Date(Date.parse(today) - (days - 1) * 86_400_000).toISOString().slice(0, 10);
}

async function keysOf(
  db: Db,
  organisationId: string,
  uses: readonly Use[],
): Promise<Map<string, Key>> {
  const ids = [...new Set(uses.map(({ apiKeyId }) => apiKeyId))];
  const rows = keyRows.parse(
    await db.query(
      `SELECT k.id, k.name, k.team_id AS "teamId", t.name AS "teamName"
       FROM api_key k LEFT JOIN team t ON t.id = k.team_id
       WHERE k.organisation_id = $1 AND k.id = ANY($2::uuid[])`,
      [organisationId, ids],
    ),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

function represent(
  { kind, id, name, retirement, replacement }: Retired,
  uses: readonly Use[],
  keys: ReadonlyMap<string, Key>,
): rest.RetiringName {
  const own = uses.filter(({ of }) => of === name || of === id);
  const byKey = [...Map.groupBy(own, ({ apiKeyId }) => apiKeyId)].map(([apiKeyId, both]) =>
    useOf(apiKeyId, both, keys.get(apiKeyId)),
  );
  const most = byKey.toSorted(
    (a, b) => b.requests30 - a.requests30 || a.apiKeyName.localeCompare(b.apiKeyName),
  );
  return {
    kind,
    id,
    name,
    retirement,
    replacement,
    uses: most.slice(0, rest.RETIREMENT_KEYS),
    moreUses: most.length > rest.RETIREMENT_KEYS || own.some(({ more }) => more),
  };
}

function useOf(apiKeyId: string, both: readonly Use[], key: Key | undefined): rest.RetirementUse {
  const count = (of: (use: Use) => number): number =>
    both.reduce((total, use) => total + of(use), 0);
  const money = (of: (use: Use) => bigint): string =>
    formatUsd(both.reduce((total, use) => total + of(use), 0n));
  return {
    apiKeyId,
    apiKeyName: key?.name ?? '',
    teamId: key?.teamId ?? null,
    teamName: key?.teamName ?? null,
    requests7: count(({ requests7 }) => requests7),
    requests30: count(({ requests30 }) => requests30),
    costUsd7: money(({ cost7 }) => cost7),
    costUsd30: money(({ cost30 }) => cost30),
    lastUsedOn:
      both
        .map(({ lastUsedOn }) => lastUsedOn)
        .toSorted()
        .at(-1) ?? '',
  };
}
