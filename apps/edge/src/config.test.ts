import { describeConfig, readConfig } from '@tollgate/kit';

import { startEdge } from './app';
import { configShape, proxiesOf } from './config';
import { KEY_RING } from './test-support/fake-catalog';

test('everything has a default except the keys for provider secrets', () => {
  expect(() => readConfig('edge', configShape, {})).toThrow(/KEY_ENCRYPTION_KEYS/);
  const config = readConfig('edge', configShape, { KEY_ENCRYPTION_KEYS: KEY_RING });
  expect(config).toMatchObject({ EDGE_PORT: 8080, POLICY_DEADLINE_MS: 500 });
  expect(JSON.stringify(config)).not.toContain(KEY_RING);
  for (const row of describeConfig(configShape)) expect(row.description).toMatch(/\.|,…$/);
});

test('the authorize deadline is below a third of the longest lease', () => {
  const read = (POLICY_DEADLINE_MS: string) =>
    readConfig('edge', configShape, { KEY_ENCRYPTION_KEYS: KEY_RING, POLICY_DEADLINE_MS });
  expect(read('200000').POLICY_DEADLINE_MS).toBe(200_000);
  expect(() => read('200001')).toThrow(/POLICY_DEADLINE_MS/);
});

test('all problems are reported at once', () => {
  const env = { KEY_ENCRYPTION_KEYS: 'x', UPSTREAM_ALLOWED_CIDRS: '10.0.0.0/99', EDGE_PORT: 'a' };
  const read = () => readConfig('edge', configShape, env);
  expect(read).toThrow(/KEY_ENCRYPTION_KEYS/);
  expect(read).toThrow(/UPSTREAM_ALLOWED_CIDRS/);
  expect(read).toThrow(/EDGE_PORT/);
});

test.each(['AWS_ENDPOINT_URL_STS', 'AWS_CONTAINER_CREDENTIALS_FULL_URI'])(
  '%s is a URL, or is not set',
  (name) => {
    const read = (value: string) =>
      readConfig('edge', configShape, { KEY_ENCRYPTION_KEYS: KEY_RING, [name]: value });
    expect(() => read('169.254.170.23/v1')).toThrow(new RegExp(name));
    expect(() => read('')).not.toThrow();
    expect(() => read('http://169.254.170.23/v1/credentials')).not.toThrow();
  },
);

test('a proxy variable may have either case, and lower case takes precedence', () => {
  const read = (env: Record<string, string>) =>
    proxiesOf(readConfig('edge', configShape, { KEY_ENCRYPTION_KEYS: KEY_RING, ...env }));
  const upper = { HTTP_PROXY: 'http://u:1', HTTPS_PROXY: 'http://u:2', NO_PROXY: 'u.test' };
  const lower = { http_proxy: 'http://l:1', https_proxy: 'http://l:2', no_proxy: 'l.test' };
  const none = 'localhost,127.0.0.1,[::1],';
  expect(read({})).toEqual({ http: '', https: '', none });
  expect(read(upper)).toEqual({ http: 'http://u:1', https: 'http://u:2', none: `${none}u.test` });
  const both = { http: 'http://l:1', https: 'http://l:2', none: `${none}l.test` };
  expect(read(lower)).toEqual(both);
  expect(read({ ...upper, ...lower })).toEqual(both);
});

test('the edge starts without service tokens only on loopback', async () => {
  const config = readConfig('edge', configShape, {
    KEY_ENCRYPTION_KEYS: KEY_RING,
    HOST: '0.0.0.0',
  });
  await expect(startEdge(config)).rejects.toThrow(/INTERNAL_TOKEN is required/);
});
