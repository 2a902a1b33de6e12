import { formatUsd, nameOfKey, rest, splitName } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

import { reachSql } from '../../rest/access';
import type { Access, Call } from '../../rest/call';
import { firstIdAt } from '../../rest/record-ids';

/** What sessions have cost, from their records and what was booked on top of them. */

const DAY_MS = 86_400_000;
const SUMS = [
  'requests',
  'errors',
  'tokens_in',
  'tokens_out',
  'cache_read_tokens',
  'cost_nano_usd',
] as const;

const rows = z.array(
  z.object({
    session: z.string(),
    agent_id: z.string().nullable(),
    parent_agent_id: z.string().nullable(),
    agent_type: z.string().nullable(),
    first_at: z.date(),
    last_at: z.date(),
    session_agents: z.string(),
    ...sumColumns(SUMS),
    ...sumColumns(SUMS.map((name) => `session_${name}` as const)),
  }),
);
type Row = z.output<typeof rows>[number];

function sumColumns<Name extends string>(names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, z.string()])) as Record<Name, z.ZodString>;
}

export async function list(
  call: Call<typeof rest.listUsageSessions>,
): Promise<{ data: rest.UsageSession[] }> {
  const { db, organisation, access, query } = call;
  const which = query.session ?? { sinceMs: call.nowMs - DAY_MS };
  const found = await rowsOf(db, organisation.id, access, which);
  return { data: [...Map.groupBy(found, ({ session }) => session).values()].map(represent) };
}

/** A row for each agent: sessions newest first, their agents in the order of their first requests. */
async function rowsOf(
  db: EntityManager,
  organisationId: string,
  access: Access,
  which: string | { readonly sinceMs: number },
): Promise<Row[]> {
  const values: unknown[] = [organisationId];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [...sessionsThat(which, bind), reachSql(access, bind, 'r.') ?? 'true'];
  const sums = SUMS.map((name) => `sum(r.${name} + coalesce(a.${name}, 0)) AS ${name}`).join(', ');
  const added = SUMS.map((name) => `sum(${name}) AS ${name}`).join(', ');
  const ofAgent = SUMS.map((name) => `agent.${name}::text AS ${name}`).join(', ');
  const ofSession = SUMS.map((name) => `session.${name}::text AS session_${name}`).join(', ');
  return rows.parse(
    await db.query(
      `WITH agent AS (
         SELECT r.session, r.agent_id, max(r.parent_agent_id) AS parent_agent_id,
           max(r.agent_type) AS agent_type, min(r.authorised_at) AS first_at,
           max(r.closed_at) AS last_at, ${sums},
           row_number() OVER (PARTITION BY r.session ORDER BY min(r.authorised_at), r.agent_id) AS place
         FROM usage_record r
         LEFT JOIN LATERAL (
           SELECT ${added} FROM usage_adjustment WHERE request_id = r.id
         ) AS a ON true
         WHERE r.organisation_id = $1 AND ${conditions.join(' AND ')}
         GROUP BY r.session, r.agent_id
       ), session AS (
         SELECT session, min(first_at) AS first_at, max(last_at) AS last_at, count(*) AS agents, ${added}
         FROM agent GROUP BY session
         ORDER BY min(first_at) DESC, session LIMIT ${bind(rest.SESSIONS_MOST)}
       )
       SELECT session, agent.agent_id, agent.parent_agent_id, agent.agent_type, session.first_at,
         session.last_at, session.agents::text AS session_agents, ${ofAgent}, ${ofSession}
       FROM session JOIN agent USING (session)
       WHERE agent.place <= ${bind(rest.SESSION_AGENTS)}
       ORDER BY session.first_at DESC, session, agent.place`,
      values,
    ),
  );
}

function sessionsThat(
  which: string | { readonly sinceMs: number },
  bind: (value: unknown) => string,
): string[] {
  if (typeof which !== 'string') {
    // Partitions are cut by id.
    const since = bind(new Date(which.sinceMs));
    return [
      'r.session IS NOT NULL',
      `r.authorised_at >= ${since} AND r.id >= ${bind(firstIdAt(which.sinceMs))}`,
    ];
  }
  // The names are known texts, so that the index finds them whatever the collation is.
  return [
    `r.session = ANY(ARRAY[${bind(which)}::text] || ARRAY(
       SELECT ${bind(nameOfKey(which, ''))}::text || k.id FROM api_key k WHERE k.organisation_id = $1))`,
  ];
}

function represent(agents: Row[]): rest.UsageSession {
  const [first] = agents;
  if (first === undefined) throw new Error('a session without a request');
  const { session, session_agents: count } = first;
  return {
    session,
    apiKeyId: splitName(session).apiKeyId,
    firstAt: first.first_at.toISOString(),
    lastAt: first.last_at.toISOString(),
    ...sumsOf((name) => first[`session_${name}`]),
    agents: agents.map((row) => ({
      agentId: row.agent_id,
      parentAgentId: row.parent_agent_id,
      agentType: row.agent_type,
      ...sumsOf((name) => row[name]),
    })),
    moreAgents: Number(count) - agents.length,
  };
}

function sumsOf(sum: (name: (typeof SUMS)[number]) => string) {
  return {
    requests: Number(sum('requests')),
    errors: Number(sum('errors')),
    tokensIn: Number(sum('tokens_in')),
    tokensOut: Number(sum('tokens_out')),
    cacheReadTokens: Number(sum('cache_read_tokens')),
    costUsd: formatUsd(BigInt(sum('cost_nano_usd'))),
  };
}
