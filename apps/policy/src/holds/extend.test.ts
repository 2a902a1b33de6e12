import type { ExtendRequest__Output } from '@tollgate/contracts/node';

import { unavailable } from '../failure';
import { TICKET } from '../test-support/tickets';
import { createExtend, type ExtendDeps } from './extend';
import type { HeldTicket } from './hold-token';
import type { HeldLimit } from './ticket';

const REQUEST = {
  adopt: false,
  responseId: '',
  addOutputTokens: 0,
  addInputTokens: 0,
  addNanoUsd: '',
} as ExtendRequest__Output;

/** An extension of a hold in memory, whose key takes so long to be looked up. */
async function extendAfter(lookupMs: number): Promise<unknown> {
  let nowMs = 0;
  const deps: Partial<ExtendDeps> = {
    directory: {
      lookup: async () => {
        nowMs = lookupMs;
        return Promise.reject(unavailable('catalog', 'away'));
      },
    },
    floats: {
      extend: () => ({ kind: 'GRANTED', leaseUntilMs: 1_000 }),
      drop: () => undefined,
    },
    holdTokens: {
      read: () => ({ ticket: TICKET, floatId: 'p.1' }) as unknown as HeldTicket,
      write: () => Buffer.from('token'),
      forget: () => undefined,
    },
    clock: { now: () => nowMs },
  };
  return await createExtend(deps as ExtendDeps)(REQUEST, 500);
}

const BUDGET: HeldLimit = {
  limitId: 'b1',
  kind: 'BUDGET',
  metric: '',
  scopeType: 'ORGANISATION',
  scopeId: 'o1',
  period: 'LIFETIME',
  windowSeconds: 0,
  limit: 100n,
  mode: 'HARD',
  windowStartMs: 0,
  windowEndMs: 1_000_000,
  held: 10n,
};

/** An extension that the store refuses for what floats have free, so many times. */
async function extendLent(times: number): Promise<{ granted: unknown; waitedMs: number }> {
  let [nowMs, asked] = [0, 0];
  const ticket = { ...TICKET, limits: [BUDGET] };
  const deps: Partial<ExtendDeps> = {
    directory: { lookup: async () => Promise.reject(unavailable('catalog', 'away')) },
    store: {
      extend: async () => {
        asked += 1;
        const state = {
          limitId: BUDGET.limitId,
          settled: 0n,
          held: 90n,
          freeAtMs: 0,
          retryAtMs: 0,
        };
        const about = { leaseUntilMs: 1_000, states: [state] };
        return Promise.resolve(
          asked > times
            ? { kind: 'GRANTED', ...about, softExceeded: [] }
            : { kind: 'DENY', ...about, limitIds: [BUDGET.limitId], lent: true },
        );
      },
    },
    epochs: { of: () => 1 } as unknown as ExtendDeps['epochs'],
    holdTokens: {
      read: () => ({ ticket, text: 't', floatId: '', authorisedAtMs: 0, leaseUntilMs: 1 }),
      write: () => Buffer.from('token'),
      forget: () => undefined,
    },
    wait: async (ms) => {
      nowMs += ms;
      return Promise.resolve();
    },
    clock: { now: () => nowMs },
  };
  const { granted } = await createExtend(deps as ExtendDeps)(REQUEST, 500);
  return { granted, waitedMs: nowMs };
}

test('a step waits for what floats give back, and not for long', async () => {
  expect(await extendLent(2)).toEqual({ granted: true, waitedMs: 40 });
  expect(await extendLent(100)).toEqual({ granted: false, waitedMs: 140 });
});

test('memory extends a hold while the catalog is away', async () => {
  expect(await extendAfter(500)).toMatchObject({ granted: true, floatId: 'p.1' });
});

test('nothing is granted from memory for a caller that no longer waits', async () => {
  const failure = { code: 'DEADLINE_EXCEEDED', dependency: 'catalog' };
  await expect(extendAfter(501)).rejects.toMatchObject(failure);
});
