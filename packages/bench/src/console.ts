import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createStack, openState } from '@tollgate/stack';
import { Pool } from 'pg';
import { chromium, type Browser, type BrowserContext } from 'playwright-core';

import { consolePages, type ConsolePage } from './console-pages';
import { createRest } from './gateway/rest';
import { ADMIN, startBenchCatalog } from './time-queries';
import type { Undo } from './undoing';

const LOADS = 20;
const PAINTS = 5;
const WARM_UP = 2;
/** The largest organisation, with a quarter of all records. */
const LARGEST = 'org-1';
const GOAL = { serverMs: 300, paintMs: 1_000 };
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

interface Person {
  readonly email: string;
  readonly password: string;
}
interface Timed {
  readonly route: string;
  /** Time to the first byte, and to the last with everything that was streamed. */
  readonly first: readonly number[];
  readonly whole: readonly number[];
  readonly paint: readonly number[];
}

/**
 * Every page of the console on a database that `load` has filled: the server's time to first and
 * last byte, and Chromium's first contentful paint. As a super admin on the platform's pages, as an
 * administrator on the pages of the largest organisation. Needs Chromium (`CHROMIUM`, else
 * Debian's) and a built console.
 */
export async function timeConsole(
  url: string,
  say: (line: string) => void,
  undo: Undo,
): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'tollgate-bench-'));
  undo.push(() => rm(dir, { recursive: true, force: true }));
  const catalog = await startBenchCatalog(url);
  undo.push(() => catalog.stop());
  const state = await openState(join(dir, 'console'));
  const stack = await createStack({
    state,
    databaseUrl: url,
    redisUrl: 'redis://127.0.0.1:9',
    ports: { catalog: Number(new URL(catalog.url).port) },
    logLevel: 'warn',
  });
  undo.push(stack.stop);
  await stack.start('admin');
  const base = `http://127.0.0.1:${String(stack.layout.ports.admin)}`;
  const pool = new Pool({ connectionString: url, max: 1 });
  undo.push(() => pool.end());
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  undo.push(() => browser.close());
  const admin = await administratorOf(catalog.url, pool);
  for (const [scope, person] of [
    ['admin', ADMIN],
    ['organisation', admin],
  ] as const) {
    const { pages, missing } = await consolePages(pool, scope, LARGEST);
    if (missing.length > 0) say(`nothing to show, left out: ${missing.join(', ')}`);
    say(`${scope}: ${String(pages.length)} addresses, ${String(LOADS)} loads each`);
    report(await timePages(browser, base, person, pages), say);
  }
}

/** An ORG_ADMIN of the largest organisation; reused when the database is measured again. */
async function administratorOf(catalogUrl: string, pool: Pool): Promise<Person> {
  const person = { email: `admin@${LARGEST}.example.com`, password: ADMIN.password };
  const { rows } = await pool.query<{ id: string; there: boolean }>(
    `SELECT id, EXISTS (SELECT FROM user_account u WHERE u.email = $2) AS there
     FROM organisation WHERE slug = $1`,
    [LARGEST, person.email],
  );
  const [organisation] = rows;
  if (organisation === undefined) throw new Error(`the database has no organisation ${LARGEST}`);
  if (!organisation.there) {
    const rest = await createRest(catalogUrl, ADMIN.email, ADMIN.password);
    await rest.create('/api/admin/users', {
      ...person,
      name: 'Administrator',
      role: 'ORG_ADMIN',
      organisationId: organisation.id,
    });
  }
  return person;
}

async function timePages(
  browser: Browser,
  base: string,
  { email, password }: Person,
  pages: readonly ConsolePage[],
): Promise<Timed[]> {
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
  try {
    const page = await context.newPage();
    await page.goto(`${base}/login`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/dashboard/);
    const timed: Timed[] = [];
    for (const { route, path } of pages) {
      const paint: number[] = [];
      for (let load = 0; load < PAINTS; load += 1) {
        paint.push(await paintOf(context, `${base}${path}`));
      }
      timed.push({ route, paint, ...(await serverTimes(context, `${base}${path}`)) });
    }
    return timed;
  } finally {
    await context.close();
  }
}

/** Loads pages one after another with the browser's session, which it keeps renewing. */
async function serverTimes(
  context: BrowserContext,
  url: string,
): Promise<Pick<Timed, 'first' | 'whole'>> {
  const first: number[] = [];
  const whole: number[] = [];
  const cookies = await context.cookies(url);
  const headers = { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') };
  for (let load = -WARM_UP; load < LOADS; load += 1) {
    const startedMs = performance.now();
    const answer = await fetch(url, { headers, redirect: 'manual' });
    const firstMs = performance.now() - startedMs;
    await answer.arrayBuffer();
    const wholeMs = performance.now() - startedMs;
    if (answer.status !== 200) throw new Error(`GET ${url}: ${String(answer.status)}`);
    if (load < 0) continue;
    first.push(firstMs);
    whole.push(wholeMs);
  }
  return { first, whole };
}

/** Milliseconds from navigation to first contentful paint, with cached scripts and styles. */
async function paintOf(context: BrowserContext, url: string): Promise<number> {
  const page = await context.newPage();
  try {
    await page.goto(url);
    return await page.evaluate<number>(PAINTED);
  } finally {
    await page.close();
  }
}

// Runs in the page.
const PAINTED = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const entry = list.getEntriesByName('first-contentful-paint')[0];
    if (entry !== undefined) resolve(entry.startTime);
  }).observe({ type: 'paint', buffered: true });
})`;

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
}

function report(all: readonly Timed[], say: (line: string) => void): void {
  const ms = (times: readonly number[], share: number): string =>
    percentile(times, share).toFixed(0);
  const rows = all.map(({ route, first, whole, paint }) =>
    [
      '',
      ` ${route} `,
      ` ${ms(first, 0.5)} `,
      ` ${ms(first, 0.95)} `,
      ` ${ms(whole, 0.5)} `,
      ` ${ms(whole, 0.95)} `,
      ` ${ms(paint, 0.5)} `,
      ` ${ms(paint, 1)} `,
      '',
    ].join('|'),
  );
  say(
    [
      'page, milliseconds',
      '| page | first byte p50 | p95 | last byte p50 | p95 | first paint p50 | worst |',
      '| --- | --- | --- | --- | --- | --- | --- |',
      ...rows,
    ].join('\n'),
  );
  const missed = all.filter(
    ({ first, paint }) =>
      percentile(first, 0.95) > GOAL.serverMs || percentile(paint, 1) > GOAL.paintMs,
  );
  const goals = `first byte p95 ${String(GOAL.serverMs)} ms, first paint ${String(GOAL.paintMs)} ms`;
  say(
    `${goals}: ${missed.length === 0 ? 'met by all' : `missed by ${missed.map(({ route }) => route).join(', ')}`}`,
  );
}
