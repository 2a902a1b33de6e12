import { formatUsd, nameOfKey, rest, splitName } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

import type { Access, Call } from '../../rest/call';

/** What sessions have cost, from their records and what was booked on top of them. */

const SUMS = [
  'requests',
  'errors',
  'tokens_in',
  'tokens_out',
  'cache_read_tokens',
  'cost_nano_usd',
];

const rows = z.array(
  z.object({
    session: z.string(),
    agent_id: z.string().nullable(),
    parent_agent_id: z.string().nullable(),
    agent_type: z.string().nullable(),
    first_at: z.date(),
    last_at: z.date(),
    requests: z.string(),
    errors: z.string(),
    tokens_in: z.string(),
    tokens_out: z.string(),
    cache_read_tokens: z.string(),
    cost_nano_usd: z.string(),
  }),
);
type Row = z.output<typeof rows>[number];

export async function list(
  call: Call<typeof rest.listUsageSessions>,
): Promise<{ data: rest.UsageSession[] }> {
  const { db, organisation, access, query } = call;
  const found = await rowsOf(db, organisation.id, access, query.session);
  const sessions = [...Map.groupBy(found, ({ session }) => session)].map(represent);
  return { data: sessions.toSorted((a, b) => (a.firstAt < b.firstAt ? 1 : -1)) };
}

async function rowsOf(
  db: EntityManager,
  organisationId: string,
  access: Access,
  session: string,
): Promise<Row[]> {
  const values: unknown[] = [organisationId, session, nameOfKey(session, ''), rest.SESSION_AGENTS];
  const reach = reachOf(access, values);
  // The names are known texts, so that the index finds them whatever the collation is.
  const sums = SUMS.map((name) => `sum(r.${name} + coalesce(a.${name}, 0))::text AS ${name}`).join(
    ', ',
  );
  const added = SUMS.map((name) => `sum(${name}) AS ${name}`).join(', ');
  return rows.parse(
    await db.query(
      `SELECT r.session, r.agent_id, max(r.parent_agent_id) AS parent_agent_id,
         max(r.agent_type) AS agent_type, min(r.authorised_at) AS first_at,
         max(r.closed_at) AS last_at, ${sums}
       FROM usage_record r
       LEFT JOIN LATERAL (
         SELECT ${added} FROM usage_adjustment WHERE request_id = r.id
       ) AS a ON true
       WHERE r.organisation_id = $1 AND r.session = ANY(
         ARRAY[$2::text] || ARRAY(SELECT $3::text || k.id FROM api_key k WHERE k.organisation_id = $1)
       )${reach}
       GROUP BY r.session, r.agent_id ORDER BY min(r.authorised_at) LIMIT $4`,
      values,
    ),
  );
}

function reachOf(access: Access, values: unknown[]): string {
  if (access.reach !== 'teams' && access.reach !== 'self') return '';
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const teams = access.reach === 'teams' ? access.managedTeamIds : [];
  return ` AND (r.user_id = ${bind(access.userId)} OR r.team_id = ANY(${bind([...teams])}::uuid[]))`;
}

function represent([session, agents]: [string, Row[]]): rest.UsageSession {
  const instants = (name: 'first_at' | 'last_at') => agents.map((row) => row[name].getTime());
  return {
    session,
    apiKeyId: splitName(session).apiKeyId,
    firstAt: new Date(Math.min(...instants('first_at'))).toISOString(),
    lastAt: new Date(Math.max(...instants('last_at'))).toISOString(),
    ...sumsOf(agents),
    agents: agents.map((row) => ({
      agentId: row.agent_id,
      parentAgentId: row.parent_agent_id,
      agentType: row.agent_type,
      ...sumsOf([row]),
    })),
  };
}

function sumsOf(agents: readonly Row[]) {
  const sum = (name: keyof Row): number =>
    agents.reduce((total, row) => total + Number(row[name]), 0);
  const cost = agents.reduce((total, row) => total + BigInt(row.cost_nano_usd), 0n);
  return {
    requests: sum('requests'),
    errors: sum('errors'),
    tokensIn: sum('tokens_in'),
    tokensOut: sum('tokens_out'),
    cacheReadTokens: sum('cache_read_tokens'),
    costUsd: formatUsd(cost),
  };
}
