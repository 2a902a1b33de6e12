import type { ReportSoftLimitsRequest } from '@tollgate/contracts/node';
import { createLogger } from '@tollgate/kit';

import { createSoftLimits, type Passing } from './soft-limits';

const HOUR_MS = 3_600_000;

function bench() {
  const reports: string[][] = [];
  const passes: string[] = [];
  const catalog = {
    away: false,
    release: undefined as Promise<void> | undefined,
    onAsked: (): void => {},
  };
  const softLimits = createSoftLimits({
    report: async ({ passed = [] }: ReportSoftLimitsRequest) => {
      catalog.onAsked();
      await catalog.release;
      if (catalog.away) throw new Error('the catalog is away');
      reports.push(passed.map(({ limitId = '' }) => limitId));
    },
    onPassed: ({ kind, scopeType }) => passes.push(`${kind} ${scopeType}`),
    log: createLogger({ service: 'policy', level: 'error', write: () => {} }),
  });
  return { softLimits, reports, passes, catalog };
}

const passing = (ids: readonly string[], nowMs = HOUR_MS): Passing => ({
  organisationId: 'org',
  requestId: 'request',
  limits: ids.map((limitId) => ({
    limitId,
    kind: limitId.endsWith(':rpm') ? 'RATE_REQUESTS' : 'BUDGET',
    metric: limitId.endsWith(':rpm') ? '' : 'COST',
    scopeType: 'ORGANISATION',
    scopeId: 'org',
    period: 'DAILY',
    windowSeconds: 0,
    limit: 10n,
    mode: 'SOFT',
    windowStartMs: limitId.endsWith(':rpm') ? 0 : Math.floor(nowMs / HOUR_MS) * HOUR_MS,
    windowEndMs: limitId.endsWith(':rpm') ? 0 : (Math.floor(nowMs / HOUR_MS) + 1) * HOUR_MS,
    held: 1n,
  })),
  softExceeded: ids,
  states: [],
  nowMs,
});

test('a limit is reported once for each window, whoever passes it', async () => {
  const { softLimits, reports } = bench();
  for (const id of ['a', 'b', 'a', 'a:rpm', 'a:rpm']) softLimits.note(passing([id]));
  await softLimits.flush();
  softLimits.note(passing(['a', 'b', 'a:rpm']));
  await softLimits.flush();
  expect(reports).toEqual([['a', 'b', 'a:rpm']]);
  softLimits.note(passing(['a', 'a:rpm'], 2 * HOUR_MS));
  await softLimits.flush();
  expect(reports.slice(1)).toEqual([['a', 'a:rpm']]);
});

test('each value of a lifetime is reported once, in whichever hour', async () => {
  const { softLimits, reports } = bench();
  const lifetime = (value: string, nowMs: number): Passing => {
    const given = passing([value], nowMs);
    const endless = {
      period: 'LIFETIME' as const,
      windowStartMs: 0,
      windowEndMs: 253_402_300_799_000,
    };
    return { ...given, limits: given.limits.map((limit) => ({ ...limit, ...endless })) };
  };
  for (const value of ['a~sone', 'a~stwo']) softLimits.note(lifetime(value, HOUR_MS));
  await softLimits.flush();
  for (const value of ['a~sthree', 'a~sone']) softLimits.note(lifetime(value, 2 * HOUR_MS));
  await softLimits.flush();
  expect(reports).toEqual([['a~sone', 'a~stwo'], ['a~sthree']]);
});

test('what passes none is not reported', async () => {
  const { softLimits, reports } = bench();
  softLimits.note({ ...passing(['a']), softExceeded: [] });
  expect(softLimits.waiting()).toBe(0);
  await softLimits.flush();
  expect(reports).toEqual([]);
});

test('a report that is lost is made by the next request that passes the limit', async () => {
  const { softLimits, reports, catalog } = bench();
  catalog.away = true;
  softLimits.note(passing(['a']));
  await softLimits.flush();
  expect(softLimits.waiting()).toBe(0);
  catalog.away = false;
  softLimits.note(passing(['a']));
  await softLimits.flush();
  expect(reports).toEqual([['a']]);
});

test('a request that passes while its report is under way is not reported twice', async () => {
  const { softLimits, reports, catalog } = bench();
  let release = (): void => {};
  catalog.release = new Promise((resolve) => (release = resolve));
  const asked = new Promise<void>((resolve) => (catalog.onAsked = resolve));
  softLimits.note(passing(['a']));
  const first = softLimits.flush();
  await asked;
  softLimits.note(passing(['a', 'b']));
  const second = softLimits.flush();
  release();
  await Promise.all([first, second]);
  expect(reports).toEqual([['a'], ['b']]);
});

test('a queue that is full takes no more, and loses nothing for good', async () => {
  const { softLimits, reports } = bench();
  const ids = Array.from({ length: 1_200 }, (_, n) => `limit-${String(n)}`);
  softLimits.note(passing(ids));
  expect(softLimits.waiting()).toBe(1_000);
  while (softLimits.waiting() > 0) await softLimits.flush();
  expect(Math.max(...reports.map(({ length }) => length))).toBe(100);
  softLimits.note(passing(ids));
  while (softLimits.waiting() > 0) await softLimits.flush();
  expect(reports.flat().toSorted()).toEqual(ids.toSorted());
});

test('stopping sends what waits and takes no more', async () => {
  const { softLimits, reports } = bench();
  softLimits.note(passing(['a']));
  await softLimits.stop();
  softLimits.note(passing(['b']));
  expect(softLimits.waiting()).toBe(0);
  expect(reports).toEqual([['a']]);
});

test('every request that is let through beyond a limit is counted, told before or not', async () => {
  const { softLimits, passes } = bench();
  softLimits.note(passing(['a', 'a:rpm']));
  await softLimits.flush();
  softLimits.note(passing(['a']));
  await softLimits.stop();
  softLimits.note(passing(['a']));
  expect(passes).toEqual([
    'BUDGET ORGANISATION',
    'RATE_REQUESTS ORGANISATION',
    'BUDGET ORGANISATION',
    'BUDGET ORGANISATION',
  ]);
});
