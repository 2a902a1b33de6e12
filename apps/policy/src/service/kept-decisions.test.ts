import type { KeptDecision, ReportDecisionsRequest } from '@tollgate/contracts/node';
import { createLogger } from '@tollgate/kit';

import { planOf } from '../directory';
import { UnbookableError } from '../ledger';
import { ask, context, SUBJECT } from '../test-support/contexts';
import { createKeptDecisions } from './kept-decisions';

function bench() {
  const reports: KeptDecision[][] = [];
  const dropped: string[] = [];
  const catalog = {
    away: false,
    fails: false,
    atMs: 1_000,
    full: [] as string[],
    dayFull: 0,
    failed: 0,
    broken: false,
  };
  const kept = createKeptDecisions({
    report: async ({ decisions = [] }: ReportDecisionsRequest) => {
      if (catalog.fails) throw new UnbookableError('too large', true);
      if (catalog.away) throw new Error('the catalog is away');
      reports.push(decisions);
      const { dayFull, failed, full: fullOrganisationIds } = catalog;
      return { stored: 0, fullOrganisationIds, fullUntilMs: 5_000, dayFull, failed };
    },
    onDropped: (reason) => dropped.push(reason),
    clock: { now: () => catalog.atMs },
    log: createLogger({ service: 'policy', level: 'error', write: () => {} }),
  });
  let explained = 0;
  const keep = (
    organisationId = 'org',
    changes: Parameters<typeof ask>[0] = {},
    code?: string,
  ): void => {
    const plan = planOf(context({ subject: { ...SUBJECT, organisationId } }));
    const explain = () => {
      explained += 1;
      if (catalog.broken) throw new TypeError('no such state');
      return { allow: { holdToken: Buffer.from('secret') }, checks: [] };
    };
    kept.keep(plan, ask(changes), { code, explain });
  };
  return { kept, keep, reports, dropped, catalog, explained: () => explained };
}

const times = (count: number, act: () => void): void => {
  for (let i = 0; i < count; i += 1) act();
};

test('a decision is explained when it is sent, once, and without its hold token', async () => {
  const { kept, keep, reports, catalog, explained } = bench();
  catalog.away = true;
  keep();
  expect(explained()).toBe(0);
  await kept.flush();
  catalog.away = false;
  await kept.flush();
  expect(explained()).toBe(1);
  expect(reports).toMatchObject([[{ organisationId: 'org', atMs: 1_000 }]]);
  expect(reports[0]?.[0]?.decision?.allow).not.toHaveProperty('holdToken');
});

test('while the catalog is away decisions wait up to a limit for each organisation and for all', async () => {
  const { kept, keep, reports, dropped, catalog } = bench();
  catalog.away = true;
  times(501, () => keep('a'));
  expect(dropped).toEqual(['queue_full']);
  for (const id of ['b', 'c', 'd']) times(500, () => keep(id));
  expect(dropped).toHaveLength(1);
  keep('e');
  expect(dropped).toEqual(['queue_full', 'queue_full']);
  await kept.flush();
  expect(kept.waiting()).toBe(2_000);
  catalog.away = false;
  await kept.stop();
  expect(kept.waiting()).toBe(0);
  expect(reports.flat()).toHaveLength(2_000);
});

test('what was sent leaves room for its organisation', async () => {
  const { kept, keep, dropped } = bench();
  times(500, () => keep('a'));
  await kept.flush();
  times(100, () => keep('a'));
  expect(dropped).toEqual([]);
});

test('an organisation that keeps no more today is not reported, but counted', async () => {
  const { kept, keep, reports, dropped, catalog, explained } = bench();
  catalog.full = ['a'];
  keep('a');
  await kept.flush();
  keep('a');
  keep('b');
  expect(dropped).toEqual(['day_full']);
  expect(explained()).toBe(1);
  catalog.atMs = 5_000;
  keep('a');
  await kept.flush();
  expect(reports.flat().map(({ organisationId }) => organisationId)).toEqual(['a', 'b', 'a']);
});

test('a report that the catalog will never take is dropped and counted', async () => {
  const { kept, keep, dropped, catalog } = bench();
  catalog.fails = true;
  times(2, keep);
  await kept.flush();
  expect(dropped).toEqual(['failed', 'failed']);
  expect(kept.waiting()).toBe(0);
});

test('a decision that cannot be explained does not hold up the others', async () => {
  const { kept, keep, reports, dropped, catalog } = bench();
  catalog.broken = true;
  keep();
  await kept.flush();
  expect([dropped, reports, kept.waiting()]).toEqual([['failed'], [], 0]);
  catalog.broken = false;
  keep();
  await kept.flush();
  expect(reports).toHaveLength(1);
});

test('a client that repeats a refusal leaves room for others, and begins anew after a minute', () => {
  const { keep, kept, dropped, catalog } = bench();
  times(11, () => keep('org', {}, 'rate_limit_exceeded'));
  expect(dropped).toEqual(['repeated']);
  keep('org', {}, 'budget_exceeded');
  times(20, keep);
  expect([dropped.length, kept.waiting()]).toEqual([1, 31]);
  catalog.atMs += 60_000;
  keep('org', {}, 'rate_limit_exceeded');
  expect(dropped).toHaveLength(1);
});

test('what the catalog does not keep, and what waits at the end, is counted', async () => {
  const { keep, kept, dropped, catalog } = bench();
  Object.assign(catalog, { dayFull: 2, failed: 1 });
  times(4, keep);
  await kept.flush();
  expect(dropped).toEqual(['day_full', 'day_full', 'failed']);
  catalog.away = true;
  times(2, keep);
  await kept.stop();
  expect(dropped.slice(3)).toEqual(['stopped', 'stopped']);
  keep();
  expect(dropped.slice(5)).toEqual(['stopped']);
});
