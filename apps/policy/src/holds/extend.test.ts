import type { ExtendRequest__Output } from '@tollgate/contracts/node';

import { createExtend, type ExtendDeps } from './extend';

test('nothing is granted from memory for a caller that no longer waits', async () => {
  let nowMs = 0;
  const extend = jest.fn();
  const ticket = { subject: {}, limits: [], candidates: [], keySha256: Buffer.alloc(32) };
  const deps = {
    directory: {
      lookup: async () => {
        nowMs = 501;
        return Promise.resolve(undefined);
      },
    },
    floats: { extend },
    holdTokens: { read: () => ({ ticket }) },
    clock: { now: () => nowMs },
  } as unknown as ExtendDeps;
  const request = { adopt: true, addOutputTokens: 0, addInputTokens: 0, addNanoUsd: '' };
  const asked = createExtend(deps)(request as ExtendRequest__Output, 500);
  await expect(asked).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED', dependency: 'redis' });
  expect(extend).not.toHaveBeenCalled();
});
