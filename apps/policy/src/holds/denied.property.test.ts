import fc from 'fast-check';

import { heldAmount, sizeOf, sizeWith, type HoldSize } from '../decide';
import { modelsOf, planOf, type ModelPlan, type PlannedLimit } from '../directory';
import { candidateModel } from '../routing/test-support/policies';
import type { CounterState } from '../store';
import { ask, context, limit, price } from '../test-support/contexts';
import { countedLimits, heldLimits } from './counters';
import { lower, withoutUnfit, type DeniedAttempt, type Deny } from './denied';

// Of the candidates in order, a request keeps exactly those that fit every limit, each checked
// alone: no better candidate that fits is passed over, whatever refuses the others.

const NOW = 1_700_000_000_000;
const MODELS = ['m0', 'm1', 'm2'];

interface Standing {
  readonly settled: bigint;
  readonly held: bigint;
}
type Books = ReadonlyMap<string, Standing>;

const left = (limit: PlannedLimit, books: Books): bigint => {
  const { settled, held } = books.get(limit.limitId) ?? { settled: 0n, held: 0n };
  return limit.limit - settled - held;
};

const postPaid = ({ metric }: PlannedLimit): boolean =>
  metric === 'ERRORS' || metric === 'LATENCY_MS';

/** A second implementation of the store's refusal, from each limit's amount of a hold. */
function refusing(counted: readonly PlannedLimit[], size: HoldSize, books: Books): string[] {
  return counted
    .filter((one) => {
      if (one.mode === 'SOFT') return false;
      return postPaid(one) ? left(one, books) <= 0n : heldAmount(one, size) > left(one, books);
    })
    .map(({ limitId }) => limitId);
}

function outcomeOf(limitIds: string[], counted: readonly PlannedLimit[], books: Books): Deny {
  const states = counted.map(({ limitId }): CounterState => {
    const { settled, held } = books.get(limitId) ?? { settled: 0n, held: 0n };
    return { limitId, settled, held, freeAtMs: 0, retryAtMs: 0 };
  });
  return { kind: 'DENY', nowMs: NOW, limitIds, softExceeded: [], coldLimitIds: [], states };
}

const kinds = fc.constantFrom(
  { kind: 'BUDGET', metric: 'COST' },
  { kind: 'BUDGET', metric: 'COST' },
  { kind: 'BUDGET', metric: 'COST' },
  { kind: 'QUOTA', metric: 'TOKENS' },
  { kind: 'QUOTA', metric: 'REQUESTS' },
  { kind: 'QUOTA', metric: 'ERRORS' },
  { kind: 'RATE_TOKENS', metric: '', period: '' },
  { kind: 'RATE_CONCURRENT', metric: '', period: '' },
);
const bound = fc.record({
  of: kinds,
  model: fc.option(fc.constantFrom(...MODELS), { nil: undefined, freq: 2 }),
  mode: fc.constantFrom('HARD', 'HARD', 'HARD', 'SOFT'),
  clamp: fc.constantFrom(true, true, false),
  /** In thousandths of the middle candidate's need. */
  limit: fc.nat(3_000),
  settled: fc.nat(1_000),
  held: fc.nat(500),
});
const candidate = fc.record({
  output: fc.constantFrom(0, 1, 2, 9).map((usd) => String(usd * 1_000_000_000)),
  maxOutput: fc.constantFrom(1, 50, 500, 5_000),
});
const cases = fc.record({
  candidates: fc.array(candidate, { minLength: 1, maxLength: MODELS.length }),
  bounds: fc.array(bound, { maxLength: 4 }),
});
type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

const UNITS: Readonly<Record<string, bigint>> = { COST: 1_000_000n, TOKENS: 600n, '': 600n };

function build({ candidates, bounds }: Case) {
  const limits = bounds.map(({ of, model, mode, clamp, limit: thousandths }, n) => {
    const unit = UNITS[of.metric] ?? 2n;
    const scope = model === undefined ? {} : { scopeType: 'MODEL', scopeId: model };
    const most = of.kind === 'RATE_CONCURRENT' ? 2n : unit;
    const size = ((most * BigInt(thousandths)) / 1_000n).toString();
    return limit({ limitId: `l${String(n)}`, ...of, ...scope, mode, clamp, limit: size });
  });
  const books: Books = new Map(
    bounds.map(({ of, settled, held }, n) => {
      const unit = of.kind === 'RATE_CONCURRENT' ? 2n : (UNITS[of.metric] ?? 2n);
      const part = (of1000: number): bigint => (unit * BigInt(of1000)) / 1_000n;
      return [`l${String(n)}`, { settled: part(settled), held: part(held) }];
    }),
  );
  const models = candidates.map(({ output, maxOutput }, n) =>
    candidateModel(n, {
      defaultMaxOutputTokens: maxOutput,
      prices: [price({ steps: [{ ...price().steps[0], output } as never] })],
    }),
  );
  const plan = planOf(context({ models, limits }));
  const planned = modelsOf(plan);
  const request = ask({ maxOutputTokens: 0 });
  const size = sizeOf(
    request,
    planned.map((model: ModelPlan) => ({ model, price: model.prices[0], connectionVersion: 1 })),
  );
  return { request, plan, size, books };
}

test('it has exactly the candidates that fit alone, in their order, and is refused when there is none', () => {
  const seen = { refused: 0, fewer: 0, lowered: 0 };
  fc.assert(
    fc.property(cases, (one) => {
      const { request, plan, size: whole, books } = build(one);
      const fitting = whole.candidates
        .filter((sized) => {
          const alone = sizeWith(whole, [sized]);
          return refusing(sized.model.limits, alone, books).length === 0;
        })
        .map(({ model }) => model.modelId);
      let size: HoldSize | undefined = whole;
      let clamped = false;
      for (let round = 0; ; round += 1) {
        expect(round).toBeLessThan(4);
        const counted = countedLimits(size.candidates);
        const refused = refusing(counted, size, books);
        if (refused.length === 0) break;
        const limits = heldLimits(counted, size, NOW, 'UTC');
        const attempt: DeniedAttempt = { request, plan, size, counted, limits, choice: undefined };
        const outcome = outcomeOf(refused, counted, books);
        const fewer = withoutUnfit(attempt, outcome);
        const next: HoldSize | undefined = fewer ?? lower(attempt, outcome);
        if (next === undefined) {
          expect(fitting).toEqual([]);
          seen.refused += 1;
          return;
        }
        clamped ||= fewer === undefined;
        size = next;
      }
      const kept = size.candidates.map(({ model }) => model.modelId);
      if (!clamped) {
        expect(kept).toEqual(fitting);
        if (kept.length < whole.candidates.length) seen.fewer += 1;
        return;
      }
      // Only when none fits unchanged; the held amount stays within every limit.
      expect(fitting).toEqual([]);
      seen.lowered += 1;
      for (const sized of size.candidates) {
        const before = whole.candidates.find(({ model }) => model === sized.model);
        expect(sized.outputBound).toBeLessThan(before?.outputBound ?? 0);
        expect(sized.outputBound).toBeGreaterThan(0);
      }
    }),
    { numRuns: 2_000 },
  );
  for (const times of Object.values(seen)) expect(times).toBeGreaterThan(10);
});
