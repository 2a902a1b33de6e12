import { rest } from '@tollgate/contracts';

import { bodyOf, chosen, draftOf, moved, NEW_POLICY, withTrigger } from './draft';
import { explained } from './words';

const [A, B, C] = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${String(n)}`) as [
  string,
  string,
  string,
];
const candidates = chosen([], [A, B]);

test('what the form holds at first is what the server takes as its own defaults', () => {
  const body = bodyOf({ ...NEW_POLICY, name: 'fast', candidates });
  const given = rest.routingPolicyCreate.parse(body);
  const least = rest.routingPolicyCreate.parse({
    name: 'fast',
    candidates: [{ modelId: A }, { modelId: B }],
  });
  expect(given).toEqual(least);
});

test('a policy that is opened and saved again stays what it was', () => {
  const policy: rest.RoutingPolicy = {
    id: A,
    organisationId: B,
    name: 'fast',
    strategy: 'weighted',
    candidates: [
      {
        modelId: A,
        priority: 3,
        weight: 9,
        timeouts: { attemptMs: 5, connectMs: null, firstTokenMs: 7, idleMs: null },
      },
    ],
    failoverTriggers: ['rate_limit'],
    timeouts: { attemptMs: 1, connectMs: 2, firstTokenMs: 3, idleMs: null },
    totalTimeoutMs: 60_000,
    retries: 2,
    hedgeAfterMs: 500,
    status: 'DISABLED',
    createdAt: '2026-01-01T00:00:00Z',
    updatedAt: '2026-01-01T00:00:00Z',
  };
  const { id: _id, organisationId: _o, createdAt: _c, updatedAt: _u, ...settings } = policy;
  expect(bodyOf(draftOf(policy))).toEqual(settings);
});

test('what is no number is refused by the field it is in', () => {
  const body = bodyOf({ ...NEW_POLICY, name: 'x', candidates, retries: 'often', attemptMs: '1s' });
  // As it goes over the wire.
  const wrong: unknown = JSON.parse(JSON.stringify(body));
  const paths = rest.routingPolicyCreate.safeParse(wrong).error?.issues.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining([['retries'], ['timeouts', 'attemptMs']]));
});

test('choosing models keeps the order and the numbers of those that were there', () => {
  const heavy = candidates.map((candidate) => ({ ...candidate, weight: '5' }));
  const next = chosen(heavy, [C, B]);
  expect(next.map(({ modelId, weight }) => [modelId, weight])).toEqual([
    [B, '5'],
    [C, '1'],
  ]);
});

test('a candidate moves one place, and stays at the ends', () => {
  const three = chosen([], [A, B, C]);
  const order = (list: typeof three): string[] => list.map(({ modelId }) => modelId);
  expect(order(moved(three, 2, -1))).toEqual([A, C, B]);
  expect(order(moved(three, 0, 1))).toEqual([B, A, C]);
  expect(moved(three, 0, -1)).toBe(three);
  expect(moved(three, 2, 1)).toBe(three);
});

test('any failure stands for all others', () => {
  expect(withTrigger(['5xx', 'timeout'], 'any', true)).toEqual(['any']);
  expect(withTrigger(['any'], 'timeout', true)).toEqual(['timeout']);
  expect(withTrigger(['timeout'], '5xx', true)).toEqual(['5xx', 'timeout']);
  expect(withTrigger(['5xx'], '5xx', false)).toEqual([]);
});

describe('in words', () => {
  const names = new Map([
    [A, 'large'],
    [B, 'small'],
  ]);
  const words = (over: Partial<typeof NEW_POLICY>): string =>
    explained({ ...NEW_POLICY, candidates, ...over }, (id) => names.get(id) ?? id).join(' ');

  test('a weighted policy tells the shares, once every weight is a number', () => {
    const weighted = candidates.map((candidate, index) => ({
      ...candidate,
      weight: index === 0 ? '3' : '1',
    }));
    expect(words({ strategy: 'weighted', candidates: weighted })).toContain('large 75%, small 25%');
    const typing = weighted.map((candidate) => ({ ...candidate, weight: '' }));
    expect(words({ strategy: 'weighted', candidates: typing })).not.toContain('%');
  });

  test('what follows a failure is said by its triggers', () => {
    expect(words({})).toContain('When it fails, or it is too slow, the next candidate is tried');
    expect(words({ failoverTriggers: [] })).toContain('the client gets its error');
    expect(words({ candidates: candidates.slice(0, 1) })).toContain('there is no failover');
  });

  test('hedging and times are said only where they are set', () => {
    expect(words({})).not.toMatch(/silence|given up|retried once/);
    const set = words({ hedgeAfterMs: '500', totalTimeoutMs: '60000', retries: '1' });
    expect(set).toContain('After 500 ms without a response');
    expect(set).toContain('After 1 min without a first byte');
    expect(set).toContain('retried once');
  });
});
