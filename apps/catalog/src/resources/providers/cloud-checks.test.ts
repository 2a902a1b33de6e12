import { generateKeyPairSync } from 'node:crypto';
import { RestError, type ProviderType } from '@tollgate/contracts';
import { createAddressRules } from '@tollgate/contracts/node';

import { checkCloudUrl, checkSecret } from './cloud-checks';

const ORGANISATION = '01890000-0000-7000-8000-000000000001';
const VERTEX = 'https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1';
const BEDROCK = 'https://bedrock-runtime.us-east-1.amazonaws.com';
const AZURE = 'https://my-resource.openai.azure.com';
const rules = {
  addressRules: createAddressRules({ allowed: [] }),
  ambient: { organisations: [ORGANISATION], hosts: ['proxy.example'] },
};
const pem = (type: 'rsa' | 'ed25519') => {
  const { privateKey } =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2_048 })
      : generateKeyPairSync(type);
  return privateKey.export({ type: 'pkcs8', format: 'pem' });
};
const account = (over: object = {}) =>
  JSON.stringify({
    type: 'service_account',
    client_email: 'a@b',
    private_key: pem('rsa'),
    ...over,
  });
const AWS = { type: 'aws_access_key', accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 's' };
const ENTRA = { type: 'entra_client_secret', tenantId: 't', clientId: 'c', clientSecret: 's' };
const AMBIENT = '{"type":"ambient"}';

/** The path and the words of the refusal; undefined: it is accepted. */
function refusal(
  type: ProviderType,
  baseUrl: string,
  secret: string,
  organisationId = ORGANISATION,
) {
  try {
    checkSecret({ organisationId, type, baseUrl }, secret, rules);
    return undefined;
  } catch (error) {
    if (!(error instanceof RestError)) throw error;
    return error.details;
  }
}

test.each([
  ['PROVIDER_A', 'https://api.openai.com/v1', 'sk-1'],
  ['PROVIDER_F', AZURE, 'azure-key'],
  ['PROVIDER_F', AZURE, JSON.stringify(ENTRA)],
  ['PROVIDER_F', AZURE, AMBIENT],
  ['PROVIDER_G', VERTEX, account()],
  ['PROVIDER_G', VERTEX, AMBIENT],
  ['PROVIDER_G', 'https://proxy.example/v1/projects/p/locations/us-central1', AMBIENT],
  ['PROVIDER_H', BEDROCK, JSON.stringify(AWS)],
  ['PROVIDER_H', 'https://proxy.example', JSON.stringify({ ...AWS, region: 'eu-west-1' })],
  ['PROVIDER_H', BEDROCK, 'bedrock-api-key'],
] as const)('a provider of type %s at %s accepts it', (type, baseUrl, secret) => {
  expect(refusal(type, baseUrl, secret)).toBeUndefined();
});

test.each([
  ['PROVIDER_A', 'https://api.openai.com/v1', '{"a": 1}', 'apiKey', 'not a JSON document'],
  ['PROVIDER_G', VERTEX, account({ client_email: '' }), 'apiKey.client_email', 'client_email: '],
  ['PROVIDER_G', VERTEX, account({ private_key: pem('ed25519') }), 'apiKey.private_key', 'RSA'],
  ['PROVIDER_G', VERTEX, account({ token_uri: 'http://169.254.169.254/' }), 'apiKey.token_uri', ''],
  [
    'PROVIDER_F',
    AZURE,
    JSON.stringify({ ...ENTRA, authorityHost: 'http://10.0.0.1' }),
    'apiKey.authorityHost',
    '',
  ],
  ['PROVIDER_H', 'https://proxy.example', JSON.stringify(AWS), 'apiKey.region', 'required'],
  [
    'PROVIDER_H',
    'https://evil.example',
    JSON.stringify({ ...JSON.parse(AMBIENT), region: 'eu-west-1' }),
    'baseUrl',
    'AMBIENT_IDENTITY_HOSTS',
  ],
  ['PROVIDER_F', 'https://evil.example', AMBIENT, 'baseUrl', 'AMBIENT_IDENTITY_HOSTS'],
] as const)(
  'a provider of type %s at %s refuses %s at %s',
  (type, baseUrl, secret, path, words) => {
    expect(refusal(type, baseUrl, secret)).toEqual([
      { path, message: expect.stringContaining(words) as string },
    ]);
  },
);

test("an organisation that the operator has not named gets nothing of the gateway's own identity", () => {
  for (const [type, baseUrl] of [
    ['PROVIDER_F', AZURE],
    ['PROVIDER_G', VERTEX],
    ['PROVIDER_H', BEDROCK],
  ] as const) {
    expect(refusal(type, baseUrl, AMBIENT, ORGANISATION.replace('1', '2'))).toEqual([
      {
        path: 'apiKey.type',
        message: expect.stringContaining('AMBIENT_IDENTITY_ORGANISATIONS') as string,
      },
    ]);
  }
});

test('the base URL of Vertex AI names project and location', () => {
  expect(() => checkCloudUrl({ type: 'PROVIDER_G', baseUrl: VERTEX })).not.toThrow();
  expect(() =>
    checkCloudUrl({ type: 'PROVIDER_G', baseUrl: 'https://us-central1-aiplatform.googleapis.com' }),
  ).toThrow(RestError);
  expect(() => checkCloudUrl({ type: 'CUSTOM', baseUrl: 'https://x.example' })).not.toThrow();
});
