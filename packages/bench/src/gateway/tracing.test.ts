import type { Measured } from './measure';
import { tracingGoals, WAYS, type Round, type Way } from './tracing';

const quantiles = (p99: number) => ({ p50: 1, p90: 2, p99, p999: 9_000 });

function measured(edge: number, p99 = 1_000, peak = 100): Measured {
  return {
    scenario: 'unary 1 KB',
    target: 'x',
    elapsedMs: 1_000,
    requests: 100,
    failures: {},
    perSecond: 100,
    cpuUs: { edge },
    peakRss: { edge: peak * 1_048_576 },
    totalUs: quantiles(p99),
    firstUs: quantiles(p99),
  };
}

const round = (figures: Partial<Record<Way, Measured>>): Round =>
  new Map(WAYS.flatMap((way) => (figures[way] ? [[way, figures[way]] as const] : [])));

const found = (goals: ReturnType<typeof tracingGoals>) =>
  goals.map(({ figure, met }) => [figure, met]);

it('each way is compared with off in the same round, as others may be slower as a whole', () => {
  const rounds = [100, 140, 300].map((off) =>
    round({
      off: measured(off),
      'none sampled': measured(off + 0.5),
      '1 % sampled': measured(off + 3),
      '100 % sampled': measured(off + 60, 1_000),
      frozen: measured(off + 20, 1_050, 120),
    }),
  );
  const cheap = [100, 120].map((off) =>
    round({
      off: measured(off),
      'none sampled': measured(off + 0.25),
    }),
  );
  const figures = { whole: rounds, cheap, profiled: 2.5, streams: rounds, halfLoad: rounds };
  expect(found(tracingGoals(figures))).toEqual([
    ['0.25', true],
    ['2.50', false],
    ['60.00', true],
    ['60.00', true],
    ['1.05', true],
    ['20.00', true],
  ]);
});

it('what was not measured is neither met nor missed', () => {
  const nothing = { whole: [], cheap: [], profiled: undefined, streams: [], halfLoad: [] };
  expect(found(tracingGoals(nothing))).toEqual(
    WAYS.concat('off').map(() => ['not measured', undefined]),
  );
});
