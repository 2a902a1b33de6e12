import { snippetsOf } from './snippets';

const SENT = { edgeUrl: 'https://gw.example.com', key: 'tg_secret', model: 'gpt' } as const;
const textsOf = (providerType: 'PROVIDER_A' | 'PROVIDER_B') =>
  Object.fromEntries(snippetsOf({ ...SENT, providerType }).map(({ value, text }) => [value, text]));

test('OpenAI’s models are called by OpenAI’s SDKs, below /v1', () => {
  const { curl, python, typescript } = textsOf('PROVIDER_A');
  expect(curl).toContain('curl https://gw.example.com/v1/llm/chat');
  expect(python).toContain('OpenAI(base_url="https://gw.example.com/v1", api_key="tg_secret")');
  expect(typescript).toContain('baseURL: "https://gw.example.com/v1", apiKey: "tg_secret"');
});

test('other models are called by a route that serves every provider', () => {
  const { curl, python, typescript } = textsOf('PROVIDER_B');
  expect(curl).toContain('/v1/llm/chat');
  expect(python).toContain('Anthropic(base_url="https://gw.example.com", api_key="tg_secret")');
  expect(typescript).toContain('max_tokens: 1024');
});

test('every language names model and key', () => {
  for (const { text } of snippetsOf({ ...SENT, providerType: 'PROVIDER_A' })) {
    expect(text).toContain('tg_secret');
    expect(text).toMatch(/"gpt"/);
  }
});
