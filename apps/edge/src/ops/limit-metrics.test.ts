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

function open(top: number) {
  const clock = { ms: 0 };
  const metrics = createMetrics({ service: 'edge' });
  const { limitsSeen } = createLimitMetrics(metrics, {
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
  return { clock, limitsSeen, scrape };
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
