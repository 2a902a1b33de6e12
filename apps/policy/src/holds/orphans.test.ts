import { createLogger } from '@tollgate/kit';

import { unavailable } from '../failure';
import {
  KEPT_BY,
  StoreUnavailableError,
  type CloseItem,
  type CloseOutcome,
  type UnrouteItem,
} from '../store';
import { TICKET } from '../test-support/tickets';
import type { Epochs } from './epochs';
import { createOrphans } from './orphans';

const LEASE_MS = 60_000;
const AFTER_MS = 500;

type Close = () => Promise<CloseOutcome>;
const closed = (seq = 0): Close => {
  const outcome = { kind: 'CLOSED', seq, nowMs: 1, late: false, unknown: false, states: [] };
  return () => Promise.resolve(outcome as CloseOutcome);
};
const outcome =
  (kind: 'KEPT' | 'DUP'): Close =>
  () =>
    Promise.resolve((kind === 'KEPT' ? { kind } : { kind, state: 'SETTLED', seq: 1 }) as never);

function bench(answers: Close[]) {
  const clock = { nowMs: 1_000_000 };
  const closes: Pick<CloseItem, 'requestId' | 'mode' | 'orphan' | 'attempt' | 'epoch'>[] = [];
  const announced: number[] = [];
  const given: UnrouteItem[] = [];
  let [epoch, released] = [1, 0];
  const epochs: Epochs = {
    of: () => epoch,
    learn: () => {},
    follow: () => {
      epoch += 1;
      return Promise.resolve();
    },
    recover: () => Promise.resolve(),
  };
  const orphans = createOrphans({
    store: {
      orphanAfterMs: AFTER_MS,
      close: ({ requestId, mode, orphan, attempt, epoch }) => {
        closes.push({ requestId, mode, ...(orphan && attempt ? { orphan, attempt } : {}), epoch });
        return (answers.shift() ?? closed())();
      },
    },
    epochs,
    leaseMs: LEASE_MS,
    giveBacks: { give: (item) => given.push(item) },
    onClosed: (_shard, seq) => announced.push(seq),
    onReleased: () => (released += 1),
    clock: { now: () => clock.nowMs },
    log: createLogger({ service: 'test', level: 'error', write: () => {} }),
  });
  const pass = async (ms: number): Promise<void> => {
    clock.nowMs += ms;
    await jest.advanceTimersByTimeAsync(250);
  };
  return { orphans, closes, announced, given, pass, released: () => released };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('is cancelled, once the call can no longer take effect', async () => {
  const { orphans, closes, pass } = bench([]);
  orphans.add('r1', TICKET, 'call-1');
  await pass(AFTER_MS - 1);
  expect(closes).toEqual([]);
  await pass(1);
  expect(closes).toEqual([
    { requestId: 'r1', mode: 'CANCELLED', orphan: true, attempt: 'call-1', epoch: 1 },
  ]);
  await pass(AFTER_MS);
  expect(closes).toHaveLength(1);
  expect(orphans.waiting()).toBe(0);
});

test('several calls of a request are followed up, each by its name', async () => {
  const { orphans, closes, pass } = bench([outcome('KEPT'), closed()]);
  orphans.add('r1', TICKET, 'call-1');
  orphans.add('r1', TICKET, KEPT_BY);
  await pass(AFTER_MS);
  expect(closes.map(({ attempt }) => attempt)).toEqual(['call-1', KEPT_BY]);
  expect(orphans.waiting()).toBe(0);
});

test('is no open hold any more if it was allowed here, and has ended or is another process’s', async () => {
  const { orphans, pass, released } = bench([outcome('KEPT'), closed(), outcome('KEPT')]);
  orphans.add('r1', TICKET, 'unanswered');
  orphans.add('r2', TICKET, '');
  orphans.add('r3', TICKET, KEPT_BY);
  await pass(AFTER_MS);
  expect(released()).toBe(2);
});

test('is tried again while the store, or the catalog it needs, is away', async () => {
  const away: Close = () => Promise.reject(new StoreUnavailableError('away'));
  const closedOff: Close = () => Promise.reject(unavailable('catalog', 'away'));
  const { orphans, closes, pass } = bench([away, closedOff, closed(), closed()]);
  orphans.add('r1', TICKET, 'call-1');
  orphans.add('r2', TICKET, 'call-2');
  await pass(AFTER_MS);
  await pass(250);
  // The first one finds out for both.
  expect(closes.map(({ requestId }) => requestId)).toEqual(['r1', 'r1']);
  await pass(250);
  expect(closes.map(({ requestId }) => requestId)).toEqual(['r1', 'r1', 'r1', 'r2']);
  expect(orphans.waiting()).toBe(0);
});

test('is tried again in the shard’s new epoch', async () => {
  const moved: Close = () => Promise.resolve({ kind: 'EPOCH', lost: false, epoch: 2 });
  const { orphans, closes, pass } = bench([moved]);
  orphans.add('r1', TICKET, 'call-1');
  await pass(AFTER_MS);
  await pass(250);
  expect(closes.map(({ epoch }) => epoch)).toEqual([1, 2]);
});

test('is left alone where there is no hold, or its owner has ended it', async () => {
  const { orphans, announced, pass } = bench([outcome('KEPT'), outcome('DUP')]);
  orphans.add('r1', TICKET, 'call-1');
  orphans.add('r2', TICKET, 'call-2');
  await pass(AFTER_MS);
  expect(orphans.waiting()).toBe(0);
  expect(announced).toEqual([]);
});

test('tells the ledger of an entry that corrects an abandoned one', async () => {
  const { orphans, announced, pass } = bench([closed(12)]);
  orphans.add('r1', TICKET, 'call-1');
  await pass(AFTER_MS);
  expect(announced).toEqual([12]);
});

test('gives back the probe that nobody made', async () => {
  const { orphans, given, pass } = bench([outcome('KEPT'), closed()]);
  const probed = {
    modelId: 'm',
    modelName: 'small',
    providerId: 'p',
    connectionVersion: 1,
    priceId: '',
    outputBound: 1,
    heldOutputTokens: 1,
    inSteps: false,
    probeUntilMs: 5_000,
  };
  orphans.add('r1', { ...TICKET, candidates: [probed] }, 'call-1');
  orphans.add('r2', { ...TICKET, candidates: [probed] }, 'call-2');
  await pass(AFTER_MS);
  const probe = { modelId: 'm', providerId: 'p', untilMs: 5_000 };
  expect(given).toEqual([{ shard: 7, turn: undefined, probe }]);
});

test('is given up when its lease has long ended it', async () => {
  const { orphans, closes, pass } = bench([]);
  orphans.add('r1', TICKET, 'call-1');
  await pass(LEASE_MS + 120_001);
  expect(closes).toEqual([]);
  expect(orphans.waiting()).toBe(0);
});

test('is tried a last time when the process stops', async () => {
  const { orphans, closes } = bench([]);
  jest.setSystemTime(0);
  orphans.add('r1', TICKET, 'call-1');
  await orphans.stop();
  // Too early: the call may still take effect; its lease will end the hold.
  expect(closes).toEqual([]);
  orphans.add('r2', TICKET, 'call-2');
  expect(orphans.waiting()).toBe(1);
});
