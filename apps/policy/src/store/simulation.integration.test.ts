import type { Store } from '.';
import { onEveryBackend, type Bench } from './test-support/backends';
import { simulate, type Breach } from './test-support/simulation';

// STORE_SEEDS=<n> runs more of them, STORE_FIRST_SEED=<n> others.
const seeds = Number(process.env['STORE_SEEDS'] ?? 15);
const first = Number(process.env['STORE_FIRST_SEED'] ?? 1);
const STEPS = 200;

onEveryBackend((bench: () => Bench) => {
  let store: Store;
  beforeAll(async () => {
    store = await bench().store();
  });

  test(
    'whatever happens, caps hold at admission, sums agree and every hold ends once',
    async () => {
      const breaches: Breach[] = [];
      for (let seed = first; seed < first + seeds; seed += 1) {
        breaches.push(...(await simulate(bench(), store, seed, STEPS)));
      }
      expect(breaches).toEqual([]);
    },
    60_000 + seeds * 4_000,
  );

  test(
    'the same holds for each value of a limit, when its counter begins at zero and after it has expired',
    async () => {
      const breaches: Breach[] = [];
      for (let seed = first; seed < first + seeds; seed += 1) {
        breaches.push(...(await simulate(bench(), store, seed, STEPS, true)));
      }
      expect(breaches).toEqual([]);
    },
    60_000 + seeds * 4_000,
  );
});
