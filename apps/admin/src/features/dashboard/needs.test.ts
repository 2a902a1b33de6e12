import type { rest } from '@tollgate/contracts';

import { needsOf } from './needs';

const ID = '01a200b7-30ab-7031-b144-0a2f9f4d5a00';
const NOW = Date.parse('2026-03-11T12:00:00Z');
const NOTHING = {
  refused: [],
  budgets: [],
  models: [],
  requestsOf: new Map<string, number>(),
  upstreams: [],
  unseenAlerts: { count: 0, more: false },
  nowMs: NOW,
};

const refused = (values: Partial<rest.RefusedRequest>): rest.RefusedRequest => ({
  id: ID,
  code: 'budget_exceeded',
  organisation: { id: ID, name: 'Harbour' },
  apiKey: { id: ID, name: 'app' },
  team: null,
  keyFingerprint: null,
  model: null,
  provider: null,
  limit: null,
  need: null,
  several: false,
  count: 3,
  firstAt: '2026-03-11T11:00:00Z',
  lastAt: '2026-03-11T11:30:00Z',
  lastRequestId: ID,
  ...values,
});

test('all is well where nothing is refused, failing, unpriced or running out', () => {
  expect(needsOf(NOTHING)).toEqual([]);
});

test('a refused key is named once, with its most frequent cause', () => {
  const needs = needsOf({
    ...NOTHING,
    refused: [refused({}), refused({ code: 'invalid_request', count: 1 })],
  });
  expect(needs).toMatchObject([
    {
      what: 'app is refused',
      why: '3 requests refused with budget_exceeded.',
      action: { page: `apikeys/${ID}` },
    },
  ]);
});

test('a provider that rejects its key is named, and not the keys that met it', () => {
  const provider = { id: ID, name: 'Lighthouse' };
  const needs = needsOf({
    ...NOTHING,
    refused: [
      refused({ code: 'provider_auth_failed', provider }),
      refused({ code: 'provider_auth_failed', provider, count: 4 }),
    ],
  });
  expect(needs).toMatchObject([
    { what: 'Lighthouse rejects its API key', why: expect.stringMatching(/^7 requests failed/) },
  ]);
});

test('an unpriced model is named only if it has traffic', () => {
  const model = { id: ID, name: 'alder', currentPrice: null, status: 'ACTIVE' } as const;
  expect(needsOf({ ...NOTHING, models: [model] })).toEqual([]);
  const requestsOf = new Map([[ID, 5]]);
  expect(needsOf({ ...NOTHING, models: [model], requestsOf })).toMatchObject([
    { what: 'alder has no price', action: { page: `models/${ID}` } },
  ]);
});

test('a budget is named when it is spent, or will be before its window ends', () => {
  const budget = {
    id: ID,
    scope: { type: 'API_KEY', id: ID },
    period: 'DAILY',
    limitUsd: '10',
    heldUsd: '0',
    windowStart: '2026-03-11T00:00:00Z',
    windowEnd: '2026-03-12T00:00:00Z',
  } as rest.Budget;
  const whatOf = (spentUsd: string) =>
    needsOf({ ...NOTHING, budgets: [{ ...budget, spentUsd }] }).map(({ what }) => what);
  expect(whatOf('4')).toEqual([]);
  expect(whatOf('6')).toEqual(['Daily budget of $10.00 will not last']);
  expect(whatOf('10')).toEqual(['Daily budget of $10.00 is spent']);
});

test('an upstream that routing skips is named', () => {
  const upstreams = [{ modelId: ID, state: 'OPEN' } as const];
  expect(needsOf({ ...NOTHING, upstreams })).toMatchObject([{ what: 'Routing skips a model' }]);
});

test('alerts that nobody has seen come first, with one link', () => {
  const unseenAlerts = { count: 20, more: true };
  expect(needsOf({ ...NOTHING, unseenAlerts })).toMatchObject([
    {
      what: 'More than 20 alerts not seen',
      action: { page: 'alerts', query: { seen: 'false' } },
    },
  ]);
  expect(needsOf({ ...NOTHING, unseenAlerts: { count: 1, more: false } })).toMatchObject([
    { what: '1 alert not seen' },
  ]);
});
