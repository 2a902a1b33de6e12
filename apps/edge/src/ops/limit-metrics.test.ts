import type { LimitState__Output } from '@tollgate/contracts/node';
import { createMetrics } from '@tollgate/kit';

import { createLimitMetrics } from './limit-metrics';

const budget = (limitId: string, remaining: string): LimitState__Output => ({
  limitId,
  kind: 'BUDGET',
  metric: 'COST',
  scopeType: 'TEAM',
  scopeId: 't1',
  limit: '1000',
  settled: '',
  held: '',
  remaining,
  resetsAtMs: 5_000,
  mode: 'HARD',
  period: 'DAILY',
  windowSeconds: 0,
  sharedId: 0,
});

const KEY = Buffer.alloc(32, 1);

function open(top: number) {
  const clock = { ms: 0 };
  const metrics = createMetrics({ service: 'edge' });
  const { limitsSeen: seenBy, refreshLimits } = createLimitMetrics(metrics, {
    top,
    fromPercent: 80,
    wallMs: () => clock.ms,
  });
  const scrape = async () =>
    Object.fromEntries(
      [...(await metrics.text()).matchAll(/^tollgate_limit.*limit="(\w+)".* ([\d.]+)$/gm)].map(
        ([, limit = '', value]) => [limit, Number(value)],
      ),
    );
  const limitsSeen = (limits: LimitState__Output[], key = KEY) =>
    // Each request has a buffer of its own.
    seenBy(limits, Buffer.from(key));
  return { clock, limitsSeen, metrics, refreshLimits, scrape, seenBy };
}

test('a limit is reported from the threshold on, until it is below it again', async () => {
  const { limitsSeen, scrape } = open(5);
  limitsSeen([budget('a', '201'), budget('b', '100')]);
  expect(await scrape()).toEqual({ b: 0.1 });
  limitsSeen([budget('a', '200'), budget('b', '900')]);
  expect(await scrape()).toEqual({ a: 0.2 });
});

test('a limit is no longer reported when its window has ended', async () => {
  const { clock, limitsSeen, scrape } = open(5);
  limitsSeen([budget('a', '0')]);
  clock.ms = 5_000;
  expect(await scrape()).toEqual({});
});

test('of too many limits those with the least left are reported', async () => {
  const { limitsSeen, scrape } = open(2);
  limitsSeen([budget('a', '150'), budget('b', '50'), budget('c', '100'), budget('d', '190')]);
  expect(await scrape()).toEqual({ b: 0.05, c: 0.1 });
});

test('limits of unknown amounts and rates are left out', async () => {
  const { limitsSeen, scrape } = open(2);
  limitsSeen([budget('a', ''), { ...budget('b', '0'), kind: 'RATE_REQUESTS' }]);
  expect(await scrape()).toEqual({});
});

describe('a limit that no decision has read for a minute', () => {
  const MINUTE = 60_000;
  const later = (limitId: string, remaining: string, given: Partial<LimitState__Output> = {}) => ({
    ...budget(limitId, remaining),
    resetsAtMs: 10 * MINUTE,
    ...given,
  });

  test('is asked about by its last key, and is gone if that key no longer has it', async () => {
    const { clock, limitsSeen, refreshLimits, scrape } = open(5);
    limitsSeen([later('a', '10'), later('b', '20'), later('c', '30')]);
    const other = Buffer.alloc(32, 2);
    limitsSeen([later('c', '30')], other);
    const asked: Buffer[] = [];
    const ask = async (key: Buffer) => {
      asked.push(key);
      return { valid: true, limits: key.equals(KEY) ? [later('b', '20')] : [later('c', '30')] };
    };
    clock.ms = MINUTE - 1;
    await refreshLimits(ask);
    expect(asked).toEqual([]);
    clock.ms = MINUTE;
    await refreshLimits(ask);
    expect(asked).toEqual([KEY, other]);
    expect(await scrape()).toEqual({ b: 0.02, c: 0.03 });
  });

  test('is gone if it was raised, or its window has turned; another value is reported', async () => {
    const { clock, limitsSeen, refreshLimits, scrape } = open(5);
    limitsSeen([later('raised', '10'), later('turned', '10'), later('spent', '200')]);
    clock.ms = MINUTE;
    await refreshLimits(async () => ({
      valid: true,
      limits: [
        later('raised', '9010', { limit: '10000' }),
        later('turned', '1000', { resetsAtMs: 20 * MINUTE }),
        later('spent', '0'),
      ],
    }));
    expect(await scrape()).toEqual({ spent: 0 });
  });

  test('is gone with its key; a limit whose amount is unknown stays', async () => {
    const { clock, limitsSeen, refreshLimits, scrape } = open(5);
    limitsSeen([later('a', '10')]);
    limitsSeen([later('b', '10')], Buffer.alloc(32, 2));
    clock.ms = MINUTE;
    await refreshLimits(async (key) =>
      key.equals(KEY)
        ? { valid: false, limits: [] }
        : { valid: true, limits: [later('b', '', { settled: '', held: '' })] },
    );
    expect(await scrape()).toEqual({ b: 0.01 });
  });

  test('stays without being asked about if no key has it', async () => {
    const { clock, refreshLimits, scrape, seenBy } = open(5);
    seenBy([later('shadow', '10')], undefined);
    clock.ms = MINUTE;
    await refreshLimits(() => Promise.reject(new Error('asked')));
    expect(await scrape()).toEqual({ shadow: 0.01 });
  });

  test('stays while policy does not answer, is asked about again, and keeps no other one waiting', async () => {
    const { clock, limitsSeen, refreshLimits, scrape } = open(5);
    limitsSeen([later('a', '10')]);
    clock.ms = 1;
    limitsSeen([later('b', '10')], Buffer.alloc(32, 2));
    clock.ms = MINUTE + 1;
    const answer = async (key: Buffer) => {
      if (key.equals(KEY)) throw new Error('away');
      return { valid: true, limits: [] };
    };
    await expect(refreshLimits(answer)).rejects.toThrow('away');
    expect(await scrape()).toEqual({ a: 0.01 });
    clock.ms += MINUTE;
    await refreshLimits(async () => ({ valid: true, limits: [] }));
    expect(await scrape()).toEqual({});
  });

  test('keeps what a decision finds while the question is under way', async () => {
    const { clock, limitsSeen, refreshLimits, scrape } = open(5);
    limitsSeen([later('a', '10')]);
    clock.ms = MINUTE;
    await refreshLimits(async () => {
      clock.ms += 1;
      limitsSeen([later('a', '5')]);
      return { valid: true, limits: [] };
    });
    expect(await scrape()).toEqual({ a: 0.005 });
  });
});

test('a limit has the labels of its last decision', async () => {
  const { limitsSeen, metrics } = open(5);
  limitsSeen([budget('a', '10')]);
  limitsSeen([{ ...budget('a', '10'), mode: 'SOFT', period: 'MONTHLY' }]);
  const lines = (await metrics.text()).split('\n').filter((line) => line.includes('limit="a"'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('window="MONTHLY",mode="SOFT"');
});

test('a limit whose window never ends is reported', async () => {
  const { clock, limitsSeen, scrape } = open(5);
  limitsSeen([{ ...budget('a', '10'), resetsAtMs: 0 }]);
  clock.ms = 1_000_000;
  expect(await scrape()).toEqual({ a: 0.01 });
});
