import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { workspaceRoot } from '@tollgate/stack';
import type { Pool } from 'pg';

/** The console's pages as addresses in a database that `load` has filled. */

/** Tables whose first row of an organisation replaces `[id]` in a page's path. */
const TABLES: Readonly<Record<string, string>> = {
  apikeys: 'api_key',
  experiments: 'experiment',
  invoices: 'invoice',
  'mcp-servers': 'mcp_server',
  models: 'model',
  providers: 'provider',
  routing: 'routing_policy',
  screening: 'screening_policy',
  teams: 'team',
  usage: 'usage_record',
  users: 'user_account',
};
/** Queries with which pages load more. */
const QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  usage: ['', 'tab=requests', 'range=90d&group=team', 'range=12m&group=apikey'],
  dashboard: ['', 'range=90d'],
  users: ['', 'tab=invitations'],
  apikeys: ['', 'sort=-spentUsd', 'sort=-lastUsedOn'],
  quotas: ['', 'tab=rates'],
};
/** Pages that redirect, or are for signed-out users. */
const LEFT_OUT = new Set(['/admin', '/[organisation]']);

export interface ConsolePage {
  readonly route: string;
  readonly path: string;
}

/** Every built page below `scope`; `missing`: pages of a single object of which there is none. */
export async function consolePages(
  pool: Pool,
  scope: 'admin' | 'organisation',
  slug: string,
): Promise<{ pages: ConsolePage[]; missing: string[] }> {
  const root = scope === 'admin' ? '/admin' : '/[organisation]';
  const pages: ConsolePage[] = [];
  const missing: string[] = [];
  for (const route of await builtRoutes()) {
    if (!route.startsWith(`${root}/`) || LEFT_OUT.has(route)) continue;
    const list = route.split('/')[2] ?? '';
    let path = route.replace('[organisation]', slug);
    const ofOne = path.includes('[id]');
    if (ofOne) {
      const id = await firstId(pool, list, slug);
      if (id === undefined) {
        missing.push(route);
        continue;
      }
      path = path.replace('[id]', id);
    }
    const asked = ofOne ? [''] : (QUESTIONS[list] ?? ['']);
    for (const question of asked) {
      // A single object belongs to an organisation; the platform's lists cover all.
      const wanted = [ofOne && scope === 'admin' ? `organisation=${slug}` : '', question];
      const query = wanted.filter((part) => part !== '').join('&');
      const whole = query === '' ? path : `${path}?${query}`;
      pages.push({ route: question === '' ? route : `${route}?${question}`, path: whole });
    }
  }
  return { pages, missing };
}

async function builtRoutes(): Promise<string[]> {
  const file = join(workspaceRoot(), 'apps/admin/.next/app-path-routes-manifest.json');
  const routes = JSON.parse(await readFile(file, 'utf8')) as Record<string, string>;
  return Object.entries(routes)
    .filter(([source]) => source.endsWith('/page'))
    .map(([, route]) => route)
    .toSorted();
}

async function firstId(pool: Pool, list: string, slug: string): Promise<string | undefined> {
  const table = TABLES[list];
  if (table === undefined) throw new Error(`no table is known for the pages of ${list}`);
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id FROM ${table} WHERE organisation_id = (SELECT id FROM organisation WHERE slug = $1)
     ORDER BY id DESC LIMIT 1`,
    [slug],
  );
  return rows[0]?.id;
}
