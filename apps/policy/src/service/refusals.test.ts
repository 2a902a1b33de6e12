import type { Denial, KeyRefusals, ReportRequest } from '@tollgate/contracts/node';
import { createLogger } from '@tollgate/kit';

import { UnbookableError } from '../ledger';
import { createRefusals } from './refusals';

const SUBJECT = { organisationId: 'org', apiKeyId: 'key' };

function bench() {
  const reports: KeyRefusals[][] = [];
  const catalog = { away: false, atMs: 1_000, meanwhile: (): void => {} };
  const refusals = createRefusals({
    report: async ({ refusals: sent = [] }: ReportRequest) => {
      catalog.meanwhile();
      if (catalog.away) throw new Error('the catalog is away');
      reports.push(sent);
    },
    clock: { now: () => catalog.atMs },
    log: createLogger({ service: 'policy', level: 'error', write: () => {} }),
  });
  return { refusals, reports, catalog };
}

const denial = (over: Denial = {}): Denial => ({
  code: 'model_access_denied',
  message: 'no',
  subject: SUBJECT,
  limits: [],
  limitId: '',
  reason: '',
  ...over,
});

const budget = denial({
  code: 'budget_exceeded',
  limitId: 'b',
  detailsJson: '{"need":{}}',
  limits: [{ limitId: 'a' }, { limitId: 'b', limit: '10' }],
});

test('refusals that come to the same are one row, told by the newest of them', async () => {
  const { refusals, reports, catalog } = bench();
  refusals.note({ requestId: 'r1', model: 'm' }, budget);
  catalog.atMs = 2_000;
  refusals.note({ requestId: 'r2', model: 'n' }, budget);
  refusals.note({ requestId: 'r3', model: '' }, { ...budget, message: 'stopped' });
  await refusals.flush();
  await refusals.flush();
  expect(reports).toEqual([
    [
      {
        organisationId: 'org',
        apiKeyId: 'key',
        code: 'budget_exceeded',
        about: 'b',
        reason: '',
        count: 3,
        firstAtMs: 1_000,
        lastAtMs: 2_000,
        requestId: 'r3',
        model: 'n',
        message: 'stopped',
        limit: { limitId: 'b', limit: '10' },
        detailsJson: '{"need":{}}',
      },
    ],
  ]);
});

test('models apart, unless the name is one that anybody can make up', async () => {
  const { refusals, reports } = bench();
  for (const model of ['m', 'n', 'm']) refusals.note({ requestId: 'r', model }, denial());
  for (const code of ['model_not_found', 'invalid_api_key', 'invalid_request']) {
    for (const model of ['x', 'y']) refusals.note({ requestId: 'r', model }, denial({ code }));
  }
  await refusals.flush();
  expect(reports[0]?.map(({ code, about, count }) => [code, about, count])).toEqual([
    ['model_access_denied', 'm', 2],
    ['model_access_denied', 'n', 1],
    ['model_not_found', '', 2],
    ['invalid_api_key', '', 2],
    ['invalid_request', '', 2],
  ]);
});

test('of a key that does not exist nothing is kept', () => {
  const { refusals } = bench();
  const unknown = denial({ code: 'invalid_api_key', subject: null });
  refusals.note({ requestId: 'r', model: 'm' }, unknown);
  expect(refusals.waiting()).toBe(0);
});

test('a flood waits in a bounded place and costs one bounded batch at a time', async () => {
  const { refusals, reports } = bench();
  for (let n = 0; n < 5_000; n += 1) {
    const subject = { ...SUBJECT, apiKeyId: `key ${String(n)}` };
    refusals.note({ requestId: 'r', model: 'm' }, denial({ subject }));
  }
  expect(refusals.waiting()).toBe(2_000);
  await refusals.flush();
  expect(reports.map(({ length }) => length)).toEqual([200]);
  expect(refusals.waiting()).toBe(1_800);
});

test('what the catalog did not take is sent again, with what came meanwhile', async () => {
  const { refusals, reports, catalog } = bench();
  catalog.away = true;
  refusals.note({ requestId: 'r1', model: 'm' }, denial());
  catalog.meanwhile = () => {
    catalog.meanwhile = () => {};
    catalog.atMs = 3_000;
    refusals.note({ requestId: 'r2', model: 'm' }, denial());
  };
  await refusals.flush();
  catalog.away = false;
  await refusals.flush();
  expect(reports).toMatchObject([
    [{ count: 2, firstAtMs: 1_000, lastAtMs: 3_000, requestId: 'r2' }],
  ]);
});

test('a batch that the catalog will never take is dropped, and holds up nothing', async () => {
  const { refusals, reports, catalog } = bench();
  catalog.meanwhile = () => {
    catalog.meanwhile = () => {};
    throw new UnbookableError('code cannot be stored', true);
  };
  refusals.note({ requestId: 'r1', model: 'm' }, denial());
  await refusals.flush();
  expect(refusals.waiting()).toBe(0);
  refusals.note({ requestId: 'r2', model: 'n' }, denial());
  await refusals.flush();
  expect(reports).toMatchObject([[{ requestId: 'r2' }]]);
});

test('a stop sends what waits, and nothing is taken after it', async () => {
  const { refusals, reports } = bench();
  refusals.note({ requestId: 'r1', model: 'm' }, denial());
  await refusals.stop();
  refusals.note({ requestId: 'r2', model: 'm' }, denial());
  await refusals.flush();
  expect(reports).toHaveLength(1);
});
