import { onOneBackend, TEST_SCRIPTS, type Bench } from './test-support/backends';
import { simulate } from './test-support/simulation';
import { withoutGuard } from './test-support/without-guard';

// Every guard of the scripts is needed: without it the simulation must find a breach. (Contract
// tests pin what each refuses.) Beside each name is the first seed.
const GUARDS: [name: string, firstSeed: number][] = [
  ['stream remainder', 2],
  ['seed clock', 2],
  ['settle creates nothing', 7],
  ['clock', 123],
  ['forgetting', 3],
  ['forgetting all', 65],
  ['rev', 19],
  ['second open', 1],
  ['server', 1],
  ['cold', 21],
  ['ends once', 1],
  ['incarnation', 1],
];
/** Of limits on each value. */
const VALUE_GUARDS: [name: string, firstSeed: number][] = [
  ['values in the stream', 1],
  ['born of this generation', 1],
  ['window after birth', 1],
  ['not expired', 1],
  ['values kept while held', 1],
];
const SEEDS_MAX = 400;
const STEPS = 200;

onOneBackend((bench: () => Bench) => {
  const breachesWithout = async (
    guards: string[],
    firstSeed: number,
    values = false,
  ): Promise<number> => {
    const store = await bench().store({ scripts: guards.reduce(withoutGuard, TEST_SCRIPTS) });
    for (let seed = firstSeed; seed < firstSeed + SEEDS_MAX; seed += 1) {
      const breaches = await simulate(bench(), store, seed, STEPS, values);
      if (breaches.length > 0) return breaches.length;
    }
    return 0;
  };

  test.each(GUARDS)(
    'without the guard "%s" sums or caps are broken',
    async (guard, firstSeed) => {
      expect(await breachesWithout([guard], firstSeed)).toBeGreaterThan(0);
    },
    120_000,
  );

  test.each(VALUE_GUARDS)(
    'without the guard "%s" sums or caps of values are broken',
    async (guard, firstSeed) => {
      expect(await breachesWithout([guard], firstSeed, true)).toBeGreaterThan(0);
    },
    120_000,
  );

  // Both refuse totals whose entries were trimmed; the floor does so without reporting data loss.
  test('without the guards "seed floor" and "gap" sums or caps are broken', async () => {
    expect(await breachesWithout(['seed floor', 'gap'], 1)).toBeGreaterThan(0);
  }, 120_000);
});
