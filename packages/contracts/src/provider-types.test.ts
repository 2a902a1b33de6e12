import { PROVIDER_TYPES } from './enums';
import { PROVIDER_TYPE_ROWS, upstreamApiOf } from './provider-types';
import { authorizationOf, FORMAT_APIS, UPSTREAM_FORMATS } from './upstream-apis';

test('a provider whose format is chosen is reached as that format is', () => {
  for (const format of UPSTREAM_FORMATS) {
    expect(upstreamApiOf('CUSTOM', format)).toBe(FORMAT_APIS[format]);
  }
});

test('the cloud-hosted variant is reached below its deployments, whatever else speaks its format', () => {
  expect(upstreamApiOf('PROVIDER_F', 'openai')).toMatchObject({
    url: { shape: 'deployment' },
    authHeader: 'api-key',
    testList: { path: '/models' },
    discoveryList: { path: '/deployments' },
  });
});

test('the key is sent in the header of the row, and as a bearer token where the row says so', () => {
  expect(authorizationOf('bearer', 'k')).toEqual(['authorization', 'Bearer k']);
  expect(authorizationOf('x-goog-api-key', 'k')).toEqual(['x-goog-api-key', 'k']);
});

test('a type has an API of its own unless its format is chosen for each provider', () => {
  for (const type of PROVIDER_TYPES) {
    const { api, upstreamFormat } = PROVIDER_TYPE_ROWS[type];
    expect([type, api === null]).toEqual([type, upstreamFormat === null]);
  }
});

test('whoever has to type a base URL is told which', () => {
  for (const type of PROVIDER_TYPES) {
    const { baseUrl, baseUrlHint } = PROVIDER_TYPE_ROWS[type];
    expect([type, baseUrlHint === null]).toEqual([type, baseUrl !== null]);
  }
});
