import { shardOf } from '@tollgate/contracts';
import type { ExtendRequest } from '@tollgate/contracts/node';

import { createHoldRegistry } from './holds';
import type { Asked, ItemSession } from './item';

const SHARD = shardOf('org');
const turn = () => new Promise((resolve) => setImmediate(resolve));
const session = (process: string): ItemSession => ({ send: () => true, process: () => process });
const [FIRST, SECOND] = [session('first'), session('second')];

/** A hold that the store has, and what was asked about it. */
function bench() {
  const sent: { message: ExtendRequest; asked: Asked }[] = [];
  const holds = createHoldRegistry({
    ask: ({ kind, message }, _deadlineMs, asked) => {
      if (kind === 'extend') sent.push({ message, asked });
    },
    deadlineMs: 100,
    nowMs: () => 0,
    wallMs: () => 0,
  });
  const allow = {
    subject: { organisationId: 'org' },
    candidates: [],
    floatId: '',
    leaseMs: 60_000,
  };
  const hold = holds.open('r1', { ...allow, holdToken: Buffer.from('0') } as never, FIRST);
  /** The answer to the extension of this number. */
  const granted = async (number: number, by: ItemSession): Promise<void> => {
    const extend = { granted: true, floatId: '', holdToken: Buffer.from(String(number)) };
    const result = { correlationId: 1, extend: { ...extend, leaseUntilMs: 60_000, gone: false } };
    sent[number - 1]?.asked.answered({ ok: true, result: result as never, session: by });
    await turn();
  };
  const lost = async (epoch: number, by: ItemSession): Promise<void> => {
    holds.reopened([{ shard: SHARD, epoch }], by);
    await turn();
  };
  const adopts = (): unknown[] => sent.map(({ message }) => message.adopt);
  return { adopts, granted, hold, holds, lost };
}

describe('a loss of data that several sessions tell of', () => {
  test('has the hold taken again once', async () => {
    const { adopts, granted, holds, lost } = bench();
    await lost(2, FIRST);
    await lost(2, SECOND);
    await granted(1, FIRST);
    await lost(2, SECOND);
    expect(adopts()).toEqual([true]);
    // The next loss.
    await lost(3, SECOND);
    await lost(2, SECOND);
    expect(adopts()).toEqual([true, true]);
    holds.stop();
  });

  test('has it taken again if the session that took it tells afterwards', async () => {
    const { adopts, granted, holds, lost } = bench();
    await lost(2, FIRST);
    await granted(1, SECOND);
    // Its policy may have taken it in what Redis was before.
    await lost(2, SECOND);
    expect(adopts()).toEqual([true, true]);
    holds.stop();
  });

  test('is not forgotten for an answer that was asked for before it', async () => {
    const { adopts, granted, hold, holds, lost } = bench();
    void hold.extend('model', { outputTokens: 1 });
    await lost(2, FIRST);
    await granted(1, FIRST);
    expect(adopts()).toEqual([false, true]);
    holds.stop();
  });
});
