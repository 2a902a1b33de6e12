import { planOf, type KeyPlan } from '../directory';
import { unavailable } from '../failure';
import { context, mcpServer } from '../test-support/contexts';
import { createConfirmKey } from './confirm-key';

const NOW = 1_000_000;
const keySha256 = Buffer.alloc(32, 7);

function confirm(plan: Partial<KeyPlan> | undefined) {
  const lookup = (): KeyPlan | undefined => plan as KeyPlan | undefined;
  return createConfirmKey({ directory: { lookup }, clock: { now: () => NOW } })({
    keySha256,
    mcpServer: '',
  });
}

test.each([
  ['an active key', { active: true, expiresAtMs: 0 }, true],
  ['a key that expires later', { active: true, expiresAtMs: NOW + 1 }, true],
  ['an expired key', { active: true, expiresAtMs: NOW }, false],
  ['a revoked key', { active: false, expiresAtMs: 0 }, false],
  ['an unknown key', undefined, false],
])('%s', async (_, plan, valid) => {
  expect(await confirm(plan)).toMatchObject({ valid });
});

test('a directory that cannot be read is a failure, never a refusal', async () => {
  const lookup = () => Promise.reject(unavailable('catalog', 'away'));
  const ask = createConfirmKey({ directory: { lookup }, clock: { now: () => NOW } });
  await expect(ask({ keySha256, mcpServer: '' })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('what is no hash is an invalid argument', async () => {
  const ask = createConfirmKey({
    directory: { lookup: () => undefined },
    clock: { now: () => NOW },
  });
  const request = { keySha256: Buffer.alloc(31), mcpServer: '' };
  await expect(ask(request)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
});

test('a granted server is named with its rules, and others are not', async () => {
  const rules = { tools: { allowed: ['get_*'], denied: [] }, prompts: null, resources: null };
  const granted = context({
    mcpServers: [mcpServer(), mcpServer({ serverId: 'server-2', identifier: 'others' })],
    mcpServerIds: ['server-1'],
    mcpGrants: [{ serverId: 'server-1', rules }],
  });
  const plan = planOf(granted);
  const ask = createConfirmKey({ directory: { lookup: () => plan }, clock: { now: () => NOW } });
  expect(await ask({ keySha256, mcpServer: 'tools' })).toMatchObject({
    valid: true,
    mcp: { serverId: 'server-1', connectionVersion: 1, rules: [{}, rules] },
  });
  for (const other of ['others', 'nosuch', '']) {
    expect(await ask({ keySha256, mcpServer: other })).toEqual({ valid: true, mcp: null });
  }
  const tooLong = { keySha256, mcpServer: 'x'.repeat(64) };
  await expect(ask(tooLong)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
});
