import { formatUsd, nameOfKey, rest, splitName } from '@tollgate/contracts';
import { uuidv7Floor } from '@tollgate/kit';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

import type { Access, Call } from '../../rest/call';
import { ID_SLACK_MS } from './record-pages';

/** What sessions have cost, from their records and what was booked on top of them. */

const DAY_MS = 86_400_000;
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
  const found = await rowsOf(
    db,
    organisation.id,
    access,
    query.session ?? { sinceMs: call.nowMs - DAY_MS },
  );
  const sessions = [...Map.groupBy(found, ({ session }) => session)].map(represent);
  return { data: sessions.toSorted((a, b) => (a.firstAt < b.firstAt ? 1 : -1)) };
}

async function rowsOf(
  db: EntityManager,
  organisationId: string,
  access: Access,
  which: string | { readonly sinceMs: number },
): Promise<Row[]> {
  const values: unknown[] = [organisationId, rest.SESSION_AGENTS];
  const conditions = [...sessionsThat(which, values), ...reachOf(access, values)];
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
       WHERE r.organisation_id = $1 AND ${conditions.join(' AND ')}
       GROUP BY r.session, r.agent_id ORDER BY min(r.authorised_at) DESC LIMIT $2`,
      values,
    ),
  );
}

function sessionsThat(which: string | { readonly sinceMs: number }, values: unknown[]): string[] {
  const bind = (value: unknown): string => `$${values.push(value)}`;
  if (typeof which !== 'string') {
    // Partitions are cut by id.
    const first = uuidv7Floor(which.sinceMs - ID_SLACK_MS);
    const since = bind(new Date(which.sinceMs));
    return ['r.session IS NOT NULL', `r.authorised_at >= ${since} AND r.id >= ${bind(first)}`];
  }
  // The names are known texts, so that the index finds them whatever the collation is.
  return [
    `r.session = ANY(ARRAY[${bind(which)}::text] || ARRAY(
       SELECT ${bind(nameOfKey(which, ''))}::text || k.id FROM api_key k WHERE k.organisation_id = $1))`,
  ];
}

function reachOf(access: Access, values: unknown[]): string[] {
  if (access.reach !== 'teams' && access.reach !== 'self') return [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const teams = access.reach === 'teams' ? access.managedTeamIds : [];
  return [`(r.user_id = ${bind(access.userId)} OR r.team_id = ANY(${bind([...teams])}::uuid[]))`];
}

function represent([session, newestFirst]: [string, Row[]]): rest.UsageSession {
  const agents = newestFirst.toReversed();
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
