import type { EntityManager } from 'typeorm';
import { z } from 'zod';

import { shownName } from '../entities/freed-name';

/** Names of the objects that rows mention by id. Reads by primary key, one query for a page. */

/** The table of each kind. */
const TABLES = {
  organisation: 'organisation',
  team: 'team',
  user: 'user_account',
  apiKey: 'api_key',
  model: 'model',
  provider: 'provider',
  mcpServer: 'mcp_server',
} as const;

export type NamedKind = keyof typeof TABLES;

export interface Mention {
  readonly kind: NamedKind;
  readonly id: string | null;
}

/** The name now, or the last one of a deleted object; null for an unknown or absent id. */
export type NameOf = (kind: NamedKind, id: string | null) => string | null;

const found = z.array(z.object({ kind: z.string(), id: z.string(), name: z.string() }));

const QUERY = Object.entries(TABLES)
  .map(
    ([kind, table]) => `SELECT '${kind}' AS kind, o.id::text AS id, o.name FROM ${table} o
      WHERE o.id = ANY(SELECT m.id FROM mentioned m WHERE m.kind = '${kind}')`,
  )
  .join(' UNION ALL ');

export async function namesOf(db: EntityManager, mentions: readonly Mention[]): Promise<NameOf> {
  const wanted = new Map<string, Mention & { readonly id: string }>();
  for (const { kind, id } of mentions) {
    if (id !== null) wanted.set(`${kind} ${id}`, { kind, id });
  }
  if (wanted.size === 0) return () => null;
  const rows = found.parse(
    await db.query(
      `WITH mentioned AS (SELECT * FROM unnest($1::text[], $2::uuid[]) AS given(kind, id)) ${QUERY}`,
      [[...wanted.values()].map(({ kind }) => kind), [...wanted.values()].map(({ id }) => id)],
    ),
  );
  const names = new Map(rows.map(({ kind, id, name }) => [`${kind} ${id}`, shownName(name, id)]));
  return (kind, id) => (id === null ? null : (names.get(`${kind} ${id}`) ?? null));
}
