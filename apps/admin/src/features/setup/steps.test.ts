import type { rest } from '@tollgate/contracts';

import { freeName, setupOf } from './steps';

const provider = (over: object = {}) => ({
  id: 'p',
  name: 'OpenAI',
  type: 'PROVIDER_A' as const,
  status: 'ACTIVE' as const,
  apiKeys: [{ status: 'ACTIVE' }] as rest.Provider['apiKeys'],
  ...over,
});
const model = (over: object = {}) => ({
  id: 'm',
  name: 'gpt',
  type: 'chat' as const,
  providerId: 'p',
  status: 'ACTIVE' as const,
  currentPrice: null,
  ...over,
});
const key = (over: object = {}) => ({
  id: 'k',
  name: 'First key',
  status: 'ACTIVE' as const,
  modelIds: [],
  modelGrants: [{ kind: 'ALL' as const }],
  ...over,
});
const record = (over: object = {}) => ({ id: 'r', outcome: 'COMPLETED' as const, ...over });
const NOTHING = { providers: [], models: [], keys: [], records: [] };
const EVERYTHING = {
  providers: [provider()],
  models: [model()],
  keys: [key()],
  records: [record()],
};

test('each step is next until the catalog has what it makes', () => {
  expect(setupOf(NOTHING).current).toBe('provider');
  expect(setupOf({ ...NOTHING, providers: [provider()] }).current).toBe('models');
  expect(setupOf({ ...EVERYTHING, keys: [], records: [] }).current).toBe('key');
  expect(setupOf({ ...EVERYTHING, records: [] }).current).toBe('request');
  expect(setupOf(EVERYTHING)).toMatchObject({ current: undefined, served: { id: 'r' } });
});

test.each([
  ['a provider that is off', { providers: [provider({ status: 'DISABLED' })] }, 'provider'],
  [
    'a provider whose keys are all off',
    { providers: [provider({ apiKeys: [{ status: 'DISABLED' }] })] },
    'provider',
  ],
  ['a model that is off', { models: [model({ status: 'DISABLED' })] }, 'models'],
  ['a model of another provider', { models: [model({ providerId: 'off' })] }, 'models'],
  ['a revoked key', { keys: [key({ status: 'REVOKED' })] }, 'key'],
  ['a key without a grant', { keys: [key({ modelGrants: [] })] }, 'key'],
  ['a request that failed', { records: [record({ outcome: 'FAILED' })] }, 'request'],
])('%s does not count', (_title, over, current) => {
  expect(setupOf({ ...EVERYTHING, ...over }).current).toBe(current);
});

test('a provider without keys needs none, as a server of your own', () => {
  expect(setupOf({ ...NOTHING, providers: [provider({ apiKeys: [] })] }).done.provider).toBe(true);
});

test('keys that may call nothing are named', () => {
  const useless = key({ id: 'u', modelGrants: [], modelIds: ['gone'] });
  const { keys, uselessKeys } = setupOf({ ...EVERYTHING, keys: [useless, key()] });
  expect([keys.map(({ id }) => id), uselessKeys.map(({ id }) => id)]).toEqual([['k'], ['u']]);
});

test('a provider gets a name that is free', () => {
  expect(freeName('OpenAI', ['Anthropic'])).toBe('OpenAI');
  expect(freeName('OpenAI', ['OpenAI', 'OpenAI 2'])).toBe('OpenAI 3');
});
