import type { rest } from '@tollgate/contracts';

import { placed } from './timeline-bars';

type Attempt = rest.UsageRecordDetail['attempts'][number];

const AT = Date.parse('2026-11-28T10:00:00.000Z');
const iso = (ms: number): string => new Date(AT + ms).toISOString();
const attempt = (startMs: number, latencyMs: number, more: Partial<Attempt> = {}): Attempt =>
  ({ startedAt: iso(startMs), latencyMs, firstTokenMs: 0, outcome: 'OK', ...more }) as Attempt;

test('attempts stand where they ran on the time of the request', () => {
  const attempts = [
    attempt(0, 500, { outcome: 'HTTP_503' }),
    attempt(500, 1_500, { firstTokenMs: 250 }),
  ];
  const { bars, totalMs } = placed({ attempts, authorisedAt: iso(0), latencyMs: 2_000 });
  expect(totalMs).toBe(2_000);
  expect(bars).toMatchObject([
    { ok: false, startMs: 0, from: 0, width: 25, firstToken: undefined },
    { ok: true, startMs: 500, from: 25, width: 75, firstToken: 37.5 },
  ]);
});

test('clocks that differ and attempts beyond the end keep every bar inside', () => {
  const attempts = [attempt(-40, 60), attempt(0, 4_000)];
  const { bars, totalMs } = placed({ attempts, authorisedAt: iso(0), latencyMs: 100 });
  expect(totalMs).toBe(4_040);
  for (const { from, width } of bars) {
    expect(from).toBeGreaterThanOrEqual(0);
    expect(from + width).toBeLessThanOrEqual(100.1);
  }
  const none = { attempts: [], authorisedAt: iso(0), latencyMs: 0 };
  expect(placed(none)).toEqual({ bars: [], totalMs: 1 });
});
