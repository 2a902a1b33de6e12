import type { KeptDecision, ReportDecisionsRequest } from '@tollgate/contracts/node';
import { createLogger } from '@tollgate/kit';

import { planOf } from '../directory';
import { UnbookableError } from '../ledger';
import { ask, context, SUBJECT } from '../test-support/contexts';
import { createKeptDecisions } from './kept-decisions';

function bench() {
  const reports: KeptDecision[][] = [];
  const dropped: string[] = [];
  const catalog = { away: false, fails: false, atMs: 1_000, full: [] as string[] };
  const kept = createKeptDecisions({
    report: async ({ decisions = [] }: ReportDecisionsRequest) => {
      if (catalog.fails) throw new UnbookableError('too large', true);
      if (catalog.away) throw new Error('the catalog is away');
      reports.push(decisions);
      return { stored: 0, fullOrganisationIds: catalog.full, fullUntilMs: 5_000 };
    },
    onDropped: (reason) => dropped.push(reason),
    clock: { now: () => catalog.atMs },
    log: createLogger({ service: 'policy', level: 'error', write: () => {} }),
  });
  let explained = 0;
  const keep = (organisationId = 'org', changes: Parameters<typeof ask>[0] = {}): void => {
    const plan = planOf(context({ subject: { ...SUBJECT, organisationId } }));
    kept.keep(plan, ask(changes), () => {
      explained += 1;
      return { allow: { holdToken: Buffer.from('secret') }, checks: [] };
    });
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
