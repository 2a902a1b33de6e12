import type { ExtendRequest__Output } from '@tollgate/contracts/node';

import { unavailable } from '../failure';
import { TICKET } from '../test-support/tickets';
import { createExtend, type ExtendDeps } from './extend';
import type { HeldTicket } from './hold-token';

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
  const request = { adopt: false, responseId: '', addOutputTokens: 0, addInputTokens: 0 };
  const whole = { ...request, addNanoUsd: '' } as ExtendRequest__Output;
  return await createExtend(deps as ExtendDeps)(whole, 500);
}

test('memory extends a hold while the catalog is away', async () => {
  expect(await extendAfter(500)).toMatchObject({ granted: true, floatId: 'p.1' });
});

test('nothing is granted from memory for a caller that no longer waits', async () => {
  const failure = { code: 'DEADLINE_EXCEEDED', dependency: 'catalog' };
  await expect(extendAfter(501)).rejects.toMatchObject(failure);
});
