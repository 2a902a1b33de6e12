import type { Store } from '../store';
import { installed, onOneBackend, required, type Bench } from '../store/test-support/backends';
import { simulate, type Breach } from './test-support/simulation';
import { STORE_DEADLINE_MS } from './test-support/simulation/world';

// FLOAT_SEEDS=<n> runs more of them, FLOAT_FIRST_SEED=<n> others.
const seeds = Number(process.env['FLOAT_SEEDS'] ?? 6);
const isLong = process.env['FLOAT_SEEDS'] !== undefined;
const tell = (line: string): unknown => process.stdout.write(`${line}\n`);
const first = Number(process.env['FLOAT_FIRST_SEED'] ?? 1);

(installed || required ? describe : describe.skip)('deciding from memory', () => {
  onOneBackend((bench: () => Bench) => {
    let store: Store;
    beforeAll(async () => {
      store = await bench().store({ deadlineMs: STORE_DEADLINE_MS });
    });

    test(
      'whatever happens, limits hold, h is holds and floats, and every request is booked once',
      async () => {
        const breaches: Breach[] = [];
        const sum = { memory: 0, exact: 0, posts: 0, denied: 0, faults: 0 };
        for (let seed = first; seed < first + seeds && breaches.length < 50; seed += 1) {
          const { breaches: found, counts, log } = await simulate(bench(), store, seed);
          breaches.push(...found);
          for (const name of ['memory', 'exact', 'posts', 'denied', 'faults'] as const)
            sum[name] += counts[name];
          if (process.env['FLOAT_LOG'] === String(seed)) tell(log.join('\n'));
          if (isLong && found.length > 0) tell(JSON.stringify(found));
          if (isLong && (seed - first) % 100 === 99) tell(`up to ${String(seed)}`);
        }
        if (isLong) tell(JSON.stringify(sum));
        expect(breaches).toEqual([]);
        // Both ways of deciding were taken.
        expect(Math.min(sum.memory, sum.exact)).toBeGreaterThan(10 * seeds);
      },
      60_000 + seeds * 10_000,
    );
  });
});
