import { realProviders } from './demo';

test('without a vendor’s key the demo has no real provider', async () => {
  expect(await realProviders({})).toEqual([]);
});

test('each vendor’s key adds its provider, of its own type, with a priced model', async () => {
  const providers = await realProviders({
    OPENAI_API_KEY: 'o',
    ANTHROPIC_API_KEY: 'a',
    GEMINI_API_KEY: 'g',
    VLLM_BASE_URL: 'http://127.0.0.1:8000/v1/',
    VLLM_MODEL: 'local',
  });
  expect(providers.map(({ name, type, apiKey }) => [name, type, apiKey])).toEqual([
    ['openai', 'PROVIDER_A', 'o'],
    ['anthropic', 'PROVIDER_B', 'a'],
    ['gemini', 'PROVIDER_C', 'g'],
    ['vllm', 'PROVIDER_D', 'none'],
  ]);
  expect(providers.at(-1)?.baseUrl).toBe('http://127.0.0.1:8000/v1');
  for (const { models } of providers) {
    expect(models).toHaveLength(1);
    expect(models[0]).toMatchObject({ input: expect.any(String), output: expect.any(String) });
  }
});
