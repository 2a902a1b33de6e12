import type { FloatDecision } from '../floats';
import type { AuthorizeOutcome } from '../store';
import { ask } from '../test-support/contexts';
import type { Attempt, EncodedTicket } from './allow';
import { askStore, PATIENCE_MS } from './ask';

const DENY = {
  kind: 'DENY',
  nowMs: 1,
  refused: ['limit-1'],
  softExceeded: [],
  coldLimitIds: [],
  states: [],
  lent: true,
} as unknown as AuthorizeOutcome;
const REMEMBERED: FloatDecision = {
  kind: 'ALLOW',
  already: false,
  nowMs: 1,
  leaseUntilMs: 60_000,
  ticketText: 't',
  floatId: 'float-1',
  states: [],
};

/** Redis refuses, because floats have what is left. The memory has an answer from its n-th question on. */
function asked(fromQuestion: number) {
  const counts = { memory: 0, store: 0, waits: 0, again: 0 };
  const asker = {
    store: {
      authorize: () => {
        counts.store += 1;
        return Promise.resolve(DENY);
      },
    },
    floats: {
      redisMs: () => 1,
      authorize: (_shard: number, { again }: { again?: boolean }) => {
        counts.memory += 1;
        if (again) counts.again += 1;
        return counts.memory >= fromQuestion ? REMEMBERED : undefined;
      },
    },
    epochs: { of: () => 1 },
    orphans: { add: () => undefined },
    leaseMs: 60_000,
    wait: () => {
      counts.waits += 1;
      return Promise.resolve();
    },
    clock: { now: () => 0 },
    nameCall: () => 'call',
  };
  const attempt = { request: ask(), plan: { shard: 0 }, limits: [] } as unknown as Attempt;
  const caller = { session: 's', isOpen: () => true };
  const question = { caller, deadlineAtMs: Number.MAX_SAFE_INTEGER, patienceMs: PATIENCE_MS };
  const encoded = { ticket: {}, text: 't' } as unknown as EncodedTicket;
  return { counts, outcome: askStore(asker, attempt, encoded, question) };
}

test("what is lent to this process's own float is used before anybody waits for it", async () => {
  const { counts, outcome } = asked(1);
  expect(await outcome).toMatchObject({ kind: 'ALLOW', floatId: 'float-1' });
  expect(counts).toEqual({ memory: 1, store: 1, waits: 0, again: 1 });
});

test('a request waits for what other floats give back, for a bounded time', async () => {
  const { counts, outcome } = asked(Number.POSITIVE_INFINITY);
  expect(await outcome).toEqual(DENY);
  expect(counts).toEqual({ memory: 8, store: 8, waits: 7, again: 8 });
});
