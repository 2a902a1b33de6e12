import fc from 'fast-check';

import {
  installed,
  onOneBackend,
  required,
  TEST_SCRIPTS,
  type Bench,
} from './test-support/backends';
import { Disagreement, LEDGER_MAX, play, run, SCAN_MAX } from './test-support/model';
import { withoutGuard } from './test-support/without-guard';

// HOLD_MODEL_RUNS=<n> plays more of them, PROPERTY_SEED=<n> others. Runs are drawn one by one from a
// seed of their own and played side by side, each on a shard of its own, so that their calls share
// pipelines; the first that disagrees is drawn again alone and shrunk.
const runs = Number(process.env['HOLD_MODEL_RUNS'] ?? 250);
const SIDE_BY_SIDE = 32;
/** Until a run finds what a script without a guard does. */
const GUARD_RUNS = 400;
const firstSeed = fc.readConfigureGlobal().seed ?? 1;

(installed || required ? describe : describe.skip)('against a model', () => {
  onOneBackend((bench: () => Bench) => {
    test(
      'counters, holds, ledger and answers are those of the exact model after every step',
      async () => {
        const store = await bench().store({ ledgerStreamMax: LEDGER_MAX, seedScanMax: SCAN_MAX });
        const shards = Array.from({ length: SIDE_BY_SIDE }, () => bench().freshShard());
        let next = firstSeed;
        const failed: number[] = [];
        const player = async (shard: number): Promise<void> => {
          while (failed.length === 0 && next < firstSeed + runs) {
            const seed = next++;
            const [drawn] = fc.sample(run, { seed, numRuns: 1 });
            if (drawn === undefined) throw new Error('nothing was drawn');
            await play(bench(), store, shard, drawn).catch(() => {
              failed.push(seed);
            });
          }
        };
        await Promise.all(shards.map(player));
        const [seed] = failed;
        if (seed === undefined) return;
        const alone = fc.asyncProperty(run, (drawn) =>
          play(bench(), store, bench().freshShard(), drawn),
        );
        await fc.assert(alone, { seed, numRuns: 1 });
        throw new Error(`PROPERTY_SEED=${String(seed)} disagreed, and alone it does not`);
      },
      60_000 + runs * 400,
    );

    test.each(['values in the stream', 'window after birth'])(
      'scripts without the guard "%s" disagree with the model',
      async (guard) => {
        const scripts = withoutGuard(TEST_SCRIPTS, guard);
        const limits = { ledgerStreamMax: LEDGER_MAX, seedScanMax: SCAN_MAX };
        const store = await bench().store({ scripts, ...limits });
        const found: unknown[] = [];
        for (let seed = firstSeed; seed < firstSeed + GUARD_RUNS && found.length === 0; seed += 1) {
          const [drawn] = fc.sample(run, { seed, numRuns: 1 });
          if (drawn === undefined) throw new Error('nothing was drawn');
          await play(bench(), store, bench().freshShard(), drawn).catch((error: unknown) =>
            found.push(error),
          );
        }
        expect(found[0]).toBeInstanceOf(Disagreement);
      },
      120_000,
    );
  });
});
