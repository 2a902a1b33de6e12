import type { Store } from '../store';
import { installed, onOneBackend, required, type Bench } from '../store/test-support/backends';
import { losePolicy, type Without } from './test-support/simulation';
import { STORE_DEADLINE_MS } from './test-support/simulation/world';
import { floatsWithout } from './test-support/without-guard';

// What edges and policies do together when a policy is lost with decisions that Redis does not know.

const LOSSES: [how: 'killed' | 'frozen' | 'cut off', guard: string, without: () => Without][] = [
  ['killed', 'adoption when a session breaks', () => ({ adoption: true })],
  ['frozen', 'leaving a silent session', () => ({ silence: true })],
  ['cut off', 'the notice to adopt', () => ({ create: floatsWithout('adopt notice') })],
  ['cut off', 'following the notice to adopt', () => ({ adoptNotice: true })],
];

(installed || required ? describe : describe.skip)('a policy that is lost', () => {
  onOneBackend((bench: () => Bench) => {
    let store: Store;
    beforeAll(async () => {
      store = await bench().store({ deadlineMs: STORE_DEADLINE_MS });
    });

    test.each(LOSSES)(
      '%s: every request has a hold again, but for %s',
      async (how, _guard, without) => {
        const { breaches, untold } = await losePolicy(bench(), store, how);
        expect(untold).toBeGreaterThan(3);
        expect(breaches).toEqual([]);
        const broken = await losePolicy(bench(), store, how, without());
        expect(broken.breaches[0]?.what).toMatch(
          /^r\d+ runs on without a hold, p\d+\.\d+ is reclaimed$/,
        );
      },
    );
  });
});
