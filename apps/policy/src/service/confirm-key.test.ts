import type { KeyPlan } from '../directory';
import { unavailable } from '../failure';
import { createConfirmKey } from './confirm-key';

const NOW = 1_000_000;
const keySha256 = Buffer.alloc(32, 7);

function confirm(plan: Partial<KeyPlan> | undefined) {
  const lookup = (): KeyPlan | undefined => plan as KeyPlan | undefined;
  return createConfirmKey({ directory: { lookup }, clock: { now: () => NOW } })({ keySha256 });
}

test.each([
  ['an active key', { active: true, expiresAtMs: 0 }, true],
  ['a key that expires later', { active: true, expiresAtMs: NOW + 1 }, true],
  ['an expired key', { active: true, expiresAtMs: NOW }, false],
  ['a revoked key', { active: false, expiresAtMs: 0 }, false],
  ['an unknown key', undefined, false],
])('%s', async (_, plan, valid) => {
  expect(await confirm(plan)).toEqual({ valid });
});

test('a directory that cannot be read is a failure, never a refusal', async () => {
  const lookup = () => Promise.reject(unavailable('catalog', 'away'));
  const ask = createConfirmKey({ directory: { lookup }, clock: { now: () => NOW } });
  await expect(ask({ keySha256 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('what is no hash is an invalid argument', async () => {
  const ask = createConfirmKey({
    directory: { lookup: () => undefined },
    clock: { now: () => NOW },
  });
  const request = { keySha256: Buffer.alloc(31) };
  await expect(ask(request)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
});
