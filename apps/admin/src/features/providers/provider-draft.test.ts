import { rest } from '@tollgate/contracts';

import { bodyOf, draftOf, NEW_PROVIDER, patchOf, testOf, withType } from './provider-draft';

test('a type with a choice of formats begins with one that it has', () => {
  expect(withType(NEW_PROVIDER, 'PROVIDER_G')).toEqual({
    type: 'PROVIDER_G',
    upstreamFormat: 'gemini',
    baseUrl: '',
  });
  expect(withType(NEW_PROVIDER, 'PROVIDER_H')).toEqual({ type: 'PROVIDER_H', baseUrl: '' });
});

test('the address follows the type until somebody types one', () => {
  expect(withType(NEW_PROVIDER, 'PROVIDER_B')).toEqual({
    type: 'PROVIDER_B',
    baseUrl: 'https://api.anthropic.com',
  });
  expect(withType(NEW_PROVIDER, 'PROVIDER_D')).toEqual({ type: 'PROVIDER_D', baseUrl: '' });
  expect(withType({ ...NEW_PROVIDER, baseUrlTyped: true }, 'PROVIDER_B')).toEqual({
    type: 'PROVIDER_B',
  });
});

test('what is sent of a new provider is what the server takes', () => {
  const draft = { ...NEW_PROVIDER, name: 'OpenAI', apiKey: 'sk-1', headers: 'x-team: search' };
  const body = bodyOf(draft);
  expect(rest.providerCreate.safeParse(body).success).toBe(true);
  expect(body).not.toHaveProperty('upstreamFormat');
  expect(rest.providerDraft.parse(testOf(draft))).toMatchObject({
    apiKey: 'sk-1',
    headers: { 'x-team': 'search' },
  });
});

test('only a custom provider says its format, and one without a key sends none', () => {
  const custom = { ...NEW_PROVIDER, type: 'CUSTOM', upstreamFormat: 'vllm' } as const;
  expect(bodyOf(custom)).toMatchObject({ type: 'CUSTOM', upstreamFormat: 'vllm' });
  expect(testOf(custom)).not.toHaveProperty('apiKey');
});

test('only a custom provider of the format openai says whether it has the Responses API', () => {
  const draft = { ...NEW_PROVIDER, nativeResponses: true };
  expect(bodyOf(draft)).not.toHaveProperty('nativeResponses');
  const custom = { ...draft, type: 'CUSTOM' } as const;
  expect(bodyOf(custom)).toMatchObject({ nativeResponses: true });
  expect(bodyOf({ ...custom, upstreamFormat: 'vllm' })).not.toHaveProperty('nativeResponses');
  expect(
    rest.providerDraft.safeParse(testOf({ ...custom, name: 'x', baseUrl: 'http://h' })).success,
  ).toBe(true);
});

test('an api version is sent where the vendor has one only', () => {
  const draft = { ...NEW_PROVIDER, apiVersion: '2026-01-01' };
  expect(bodyOf(draft)).not.toHaveProperty('apiVersion');
  expect(bodyOf({ ...draft, type: 'PROVIDER_F' }).apiVersion).toBe('2026-01-01');
});

test('a change holds neither type nor key, and changes nothing by itself', () => {
  const provider: rest.Provider = {
    id: '01a200b7-30ab-7031-b144-0a2f9f4d5a00',
    organisationId: '01a200b7-30ab-7031-b144-0a2f9f4d5a01',
    name: 'Azure',
    type: 'PROVIDER_F',
    upstreamFormat: 'openai',
    baseUrl: 'https://example.openai.azure.com',
    apiVersion: '2026-01-01',
    nativeResponses: false,
    region: 'eu',
    headers: { 'x-team': 'search' },
    timeoutMs: 1_000,
    passthroughRules: [],
    connectTimeoutMs: 200,
    firstByteTimeoutMs: 300,
    idleTimeoutMs: 400,
    status: 'DISABLED',
    connectionVersion: 3,
    apiKeys: [],
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  };
  const body = patchOf(draftOf(provider));
  expect(rest.providerPatch.safeParse(body).success).toBe(true);
  expect(provider).toMatchObject(body);
});

test('what is no number is left for the server to refuse', () => {
  const body = patchOf({ ...NEW_PROVIDER, name: 'x', timeoutMs: 'soon' });
  const { error } = rest.providerPatch.safeParse(body);
  expect(error?.issues.map(({ path }) => path)).toEqual([['timeoutMs']]);
});
