import { configShape, startCatalog, type Catalog } from '@tollgate/catalog';
import { createLogger, readConfig } from '@tollgate/kit';
import { Pool } from 'pg';

import { appendThroughput } from './append';
import { ago, exportsOf, sortedLists, sums, year } from './questions';

/** Times the management API over HTTP on a database that `load` has filled. */

/** The first super admin of the loaded database. */
export const ADMIN = { email: 'bench@example.com', password: 'a password of the benchmark' };
const ROUNDS = 20;
const WARM_UP = 2;

interface Timed {
  name: string;
  p50: number;
  p95: number;
  worst: number;
  status: number;
}

/**
 * The catalog on free ports, over this database; it creates a first super admin in an empty one.
 */
export function startBenchCatalog(url: string): Promise<Catalog> {
  const config = readConfig('catalog', configShape, {
    DATABASE_URL: url,
    CATALOG_PORT: '0',
    CATALOG_OPS_PORT: '0',
    CATALOG_GRPC_PORT: '0',
    JWT_SECRET: 'a secret of more than thirty-two characters',
    KEY_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
    BOOTSTRAP_ADMIN_EMAIL: ADMIN.email,
    BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
    INTERNAL_TOKENS: 'edge=edge-token-0123456789,policy=policy-token-0123456789',
  });
  return startCatalog(config, { log: createLogger({ service: 'catalog', level: 'error' }) });
}

/** With `only`, just the queries whose name contains it. */
export async function timeQueries(
  url: string,
  say: (line: string) => void,
  only?: string,
): Promise<void> {
  const catalog = await startBenchCatalog(url);
  const pool = new Pool({ connectionString: url, max: 2 });
  try {
    const get = getter(catalog.url, await signIn(catalog.url));
    for (const [name, path] of await questions(pool, get)) {
      if (only !== undefined && !name.includes(only)) continue;
      say(line(await time(name, () => get(path))));
    }
    if (only !== undefined) return;
    await whileExporting(pool, get, say);
    say(`append: ${await appendThroughput(pool, 40)} records/s, one batch of 500 at a time`);
  } finally {
    await pool.end();
    await catalog.stop();
  }
}

interface Got {
  status: number;
  text: string;
  firstByteMs: number;
}
type Get = (path: string, whole?: boolean) => Promise<Got>;

async function signIn(base: string): Promise<string> {
  const response = await fetch(`${base}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  });
  if (!response.ok) throw new Error(`sign-in: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { accessToken: string }).accessToken;
}

/** Of a file only the first piece is awaited, unless the whole is requested. */
function getter(base: string, token: string): Get {
  return async (path, whole = !path.includes('/export')) => {
    const startedMs = performance.now();
    const response = await fetch(`${base}${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (whole) {
      const text = await response.text();
      return { status: response.status, text, firstByteMs: performance.now() - startedMs };
    }
    const reader = response.body?.getReader();
    await reader?.read();
    const firstByteMs = performance.now() - startedMs;
    await reader?.cancel();
    return { status: response.status, text: '', firstByteMs };
  };
}

async function time(name: string, ask: () => Promise<Got>): Promise<Timed> {
  const times: number[] = [];
  let status = 0;
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const got = await ask();
    status = got.status;
    if (round >= 0) times.push(got.firstByteMs);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.ceil(share * times.length) - 1] ?? 0;
  return { name, p50: at(0.5), p95: at(0.95), worst: at(1), status };
}

const line = ({ name, p50, p95, worst, status }: Timed): string =>
  `| ${name} | ${p50.toFixed(0)} | ${p95.toFixed(0)} | ${worst.toFixed(0)} | ${status === 200 ? '' : status}`;

async function one<T>(pool: Pool, text: string, values: unknown[] = []): Promise<T> {
  const { rows } = await pool.query<{ value: T }>(text, values);
  const [row] = rows;
  if (row === undefined) throw new Error(`nothing found: ${text}`);
  return row.value;
}

/** Named queries: of the largest organisation, of one in the middle, and of all. */
async function questions(pool: Pool, get: Get): Promise<[name: string, path: string][]> {
  const slug = 'SELECT id AS value FROM organisation WHERE slug = $1';
  const asked: [string, string][] = [];
  for (const [size, name] of [
    ['largest', 'org-1'],
    ['middle', 'org-20'],
  ] as const) {
    const id = await one<string>(pool, slug, [name]);
    const root = `/api/organisations/${id}`;
    asked.push(
      ...(await lists(pool, get, size, id, root)),
      ...sortedLists(size, root),
      ...sums(size, root),
      ...(await filteredSums(pool, size, id, root)),
      ...exportsOf(size, root),
    );
  }
  for (const group of ['organisation', 'model', 'status', 'provider']) {
    asked.push([
      `all: year by ${group}, compared, latency`,
      `/api/admin/usage/explore?${year()}&groupBy=${group}&compare=true&latency=true`,
    ]);
  }
  asked.push(['all: year by day', `/api/admin/usage/explore?${year()}&bucket=day&latency=true`]);
  asked.push(['all: 14 days by hour', `/api/admin/usage/explore?bucket=hour&from=${ago(14)}`]);
  asked.push(['all: month by day', '/api/admin/usage/explore?bucket=day&latency=true']);
  asked.push(['all: audit events', '/api/admin/audit-events?limit=200']);
  return asked;
}

async function lists(
  pool: Pool,
  get: Get,
  size: string,
  id: string,
  root: string,
): Promise<[string, string][]> {
  const records = `${root}/usage/records?limit=200`;
  const some = async (column: string): Promise<string> =>
    one(
      pool,
      `SELECT ${column} AS value FROM usage_record
       WHERE organisation_id = $1 AND ${column} IS NOT NULL LIMIT 1`,
      [id],
    );
  const filters: [string, string][] = [
    ['all', ''],
    ['key', `&apiKeyId=${await some('api_key_id')}`],
    ['team', `&teamId=${await some('team_id')}`],
    ['user', `&userId=${await some('user_id')}`],
    ['model', `&modelId=${await some('model_id')}`],
    ['provider', `&providerId=${await some('provider_id')}`],
    ['outcome PARTIAL', '&outcome=PARTIAL'],
    ['outcome COMPLETED', '&outcome=COMPLETED'],
    ['status 429', '&httpStatus=429'],
    ['status 503, none', '&httpStatus=503'],
    ['error code, none', '&errorCode=nothing_such'],
    ['abandoned', '&mode=ABANDONED'],
    ['client request id', `&clientRequestId=${await some('client_request_id')}`],
  ];
  const asked: [string, string][] = [];
  for (const [name, filter] of filters) {
    asked.push([`${size}: records, ${name}, first page`, `${records}${filter}`]);
    const { text } = await get(`${records}${filter}&to=${ago(180)}`);
    const { nextCursor } = JSON.parse(text) as { nextCursor: string | null };
    if (nextCursor === null) continue;
    asked.push([
      `${size}: records, ${name}, deep page`,
      `${records}${filter}&cursor=${nextCursor}`,
    ]);
  }
  asked.push(
    [`${size}: adjustments`, `${root}/usage/adjustments?limit=200`],
    [`${size}: audit events`, `${root}/audit-events?limit=200`],
    [`${size}: audit events of one target`, `${root}/audit-events?targetId=17`],
    [`${size}: audit events of no such action`, `${root}/audit-events?action=no.such`],
    [`${size}: invoices`, `${root}/invoices`],
  );
  return asked;
}

/** Sums by owner and by what served the requests. */
async function filteredSums(
  pool: Pool,
  size: string,
  id: string,
  root: string,
): Promise<[string, string][]> {
  const some = (table: string): Promise<string> =>
    one(pool, `SELECT id AS value FROM ${table} WHERE organisation_id = $1 ORDER BY id LIMIT 1`, [
      id,
    ]);
  const explore = `${root}/usage/explore?compare=true`;
  return [
    [
      `${size}: year by team, of a model`,
      `${explore}&groupBy=team&modelId=${await some('model')}&${year()}`,
    ],
    [
      `${size}: year by model, of a team`,
      `${explore}&groupBy=model&teamId=${await some('team')}&${year()}`,
    ],
    [
      `${size}: 30 days by key and day, failed`,
      `${explore}&groupBy=apikey&bucket=day&status=FAILED`,
    ],
  ];
}

/** Ledger batches, alone and beside a continuous export. */
async function whileExporting(pool: Pool, get: Get, say: (line: string) => void): Promise<void> {
  const id = await one<string>(pool, `SELECT id AS value FROM organisation WHERE slug = 'org-1'`);
  const path = `/api/organisations/${id}/usage/records/export?from=${ago(90)}`;
  const heapBefore = process.memoryUsage().rss;
  const startedMs = performance.now();
  const { text, status } = await get(path, true);
  const seconds = (performance.now() - startedMs) / 1000;
  const rows = text.split('\n').length - 2;
  say(
    `whole export: ${status}, ${rows} records in ${seconds.toFixed(1)} s, ${(text.length / 1e6).toFixed(0)} MB; resident ${((process.memoryUsage().rss - heapBefore) / 1e6).toFixed(0)} MB more, the text itself included`,
  );
  const list = `/api/organisations/${id}/usage/records?limit=50`;
  say(line(await time('records, no export running', () => get(list))));
  const stop = new AbortController();
  const exporting = (async () => {
    while (!stop.signal.aborted) await get(path, true);
  })();
  say(line(await time('records, while an export runs', () => get(list))));
  stop.abort();
  await exporting;
}
