import { clientAuthorization, readTokenAnswer, tokenRequest } from './client-credentials';

const CLIENT = { clientId: 'id', clientSecret: 'secret', scope: '', resource: '' };

test('scope and resource are sent if there are any', () => {
  expect(tokenRequest(CLIENT).body).toBe('grant_type=client_credentials');
  const { body } = tokenRequest({ ...CLIENT, scope: 'a b', resource: 'https://mcp.example/x' });
  expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
    grant_type: 'client_credentials',
    scope: 'a b',
    resource: 'https://mcp.example/x',
  });
});

test('id and secret are form-encoded before they are joined', () => {
  const [, encoded = ''] = clientAuthorization('a:b', 'ü +%').split(' ');
  expect(Buffer.from(encoded, 'base64').toString()).toBe('a%3Ab:%C3%BC+%2B%25');
});

test.each([
  ['{"access_token":"t","token_type":"Bearer","expires_in":60}', 60_000],
  ['{"access_token":"t","token_type":"bearer","expires_in":"60"}', 60_000],
  ['{"access_token":"t","token_type":"bearer"}', 300_000],
  ['{"access_token":"t","token_type":"bearer","expires_in":1e9}', 86_400_000],
])('%s', (text, lifetimeMs) => {
  expect(readTokenAnswer(text)).toEqual({ token: 't', lifetimeMs });
});

test.each([
  'no JSON',
  '{"access_token":"t","token_type":"mac"}',
  '{"access_token":"two words","token_type":"bearer"}',
  '{"token_type":"bearer"}',
])('%s has no token', (text) => {
  expect(readTokenAnswer(text)).toBeUndefined();
});
