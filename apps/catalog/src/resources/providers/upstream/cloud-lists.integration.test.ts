import { generateKeyPairSync } from 'node:crypto';
import { createAddressRules } from '@tollgate/contracts/node';
import {
  startSimulator,
  type CloudCounts,
  type CloudSettings,
  type Simulator,
} from '@tollgate/simulator';

import { askUpstream, type Upstream } from './ask-upstream';
import { bedrockOrigin } from './cloud-lists';
import { discoveryWays, testWays } from './model-lists';

// Lists of models at clouds, from a simulator that checks signatures and tokens by the vendors' specifications.

const ROBOT = 'robot@my-project.iam.gserviceaccount.com';
const AWS_KEY = 'AKIAIOSFODNN7EXAMPLE';
const AWS_SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const ENTRA_SECRET = 'entra~client.secret-0123456789';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
let simulator: Simulator;
let control: string;

beforeAll(async () => {
  simulator = await startSimulator();
  control = `${simulator.url}/_sim/clouds`;
});
afterAll(() => simulator.stop());
beforeEach(async () => {
  await fetch(control, { method: 'DELETE' });
  await put({
    googleKeys: { [ROBOT]: publicKey.export({ type: 'spki', format: 'pem' }).toString() },
    entraClients: { 'client-1': ENTRA_SECRET },
    awsKeys: { [AWS_KEY]: AWS_SECRET },
    awsBearers: ['bedrock-api-key-0123456789'],
  });
});

const put = (settings: Partial<CloudSettings>) =>
  fetch(control, { method: 'PUT', body: JSON.stringify(settings) });
const counts = async () => (await (await fetch(control)).json()) as CloudCounts;

const accessKey = (over: object = {}): string =>
  JSON.stringify({
    type: 'aws_access_key',
    accessKeyId: AWS_KEY,
    secretAccessKey: AWS_SECRET,
    region: 'us-east-1',
    ...over,
  });
const serviceAccount = (over: object = {}): string =>
  JSON.stringify({
    type: 'service_account',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    client_email: ROBOT,
    token_uri: `${simulator.url}/_cloud/google/token`,
    ...over,
  });
const clientSecret = (over: object = {}): string =>
  JSON.stringify({
    type: 'entra_client_secret',
    tenantId: 'tenant-1',
    clientId: 'client-1',
    clientSecret: ENTRA_SECRET,
    authorityHost: `${simulator.url}/_cloud/entra`,
    ...over,
  });

type Given = Pick<Upstream, 'type' | 'upstreamFormat' | 'secret'> & { path?: string };
const bedrock = (secret: string): Given => ({
  type: 'PROVIDER_H',
  upstreamFormat: 'anthropic',
  secret,
});
const vertex = (secret: string, upstreamFormat: 'gemini' | 'anthropic' = 'gemini'): Given => ({
  type: 'PROVIDER_G',
  upstreamFormat,
  secret,
  path: '/v1/projects/my-project/locations/us-central1',
});
const azure = (secret: string): Given => ({ type: 'PROVIDER_F', upstreamFormat: 'openai', secret });

function ask(given: Given, find: typeof testWays) {
  const { path = '', ...upstream } = given;
  const settings = {
    baseUrl: simulator.url + path,
    apiVersion: given.type === 'PROVIDER_F' ? '2024-10-21' : null,
    headers: {},
    connectTimeoutMs: 5_000,
  };
  return askUpstream({ ...upstream, ...settings }, find(given.type, given.upstreamFormat), {
    addressRules: createAddressRules({ allowed: ['127.0.0.0/8'] }),
    timeoutMs: 5_000,
    maxPages: 10,
    maxModels: 100,
  });
}

async function namesOf(given: Given): Promise<string[]> {
  const asked = await ask(given, discoveryWays);
  if (!asked.ok) throw new Error(asked.failure.message);
  return asked.models.map(({ upstreamModel }) => upstreamModel);
}

const PROFILES = [
  'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  'global.anthropic.claude-sonnet-4-5-20250929-v1:0',
];

test('Bedrock: what can be called by name, and the inference profiles, of the format of the provider', async () => {
  const names = ['anthropic.claude-3-haiku-20240307-v1:0', ...PROFILES];
  expect(await namesOf(bedrock(accessKey()))).toEqual(names);
  // Each page is signed: models, and two pages of profiles.
  expect(await counts()).toMatchObject({ accepted: 3, rejected: 0 });
  expect(await namesOf(bedrock('bedrock-api-key-0123456789'))).toEqual(names);
  const openai = { ...bedrock(accessKey()), upstreamFormat: 'openai' as const };
  expect(await namesOf({ ...openai, path: '/bedrock/openai/v1' })).toEqual([
    'openai.gpt-oss-120b-1:0',
  ]);
});

test.each([
  ['gemini', ['gemini-2.5-flash', 'gemini-2.5-pro']],
  ['anthropic', ['claude-sonnet-4-5', 'claude-haiku-4-5', 'claude-opus-4-1']],
] as const)('Vertex AI: the models of the publisher of %s, by one token', async (format, names) => {
  expect(await namesOf(vertex(serviceAccount(), format))).toEqual(names);
  expect(await counts()).toMatchObject({ issued: { google: 1 }, accepted: 2, rejected: 0 });
});

test('Azure: deployments by a token of Entra, or by a key', async () => {
  expect(await namesOf(azure(clientSecret()))).toEqual(['my-gpt', 'vectors']);
  expect(await counts()).toMatchObject({ issued: { entra: 1 }, accepted: 1 });
  expect(await namesOf(azure('a-key-of-azure'))).toEqual(['my-gpt', 'vectors']);
});

test.each([
  ['Bedrock', () => bedrock(accessKey()), 1],
  ['Vertex AI', () => vertex(serviceAccount()), 1],
  ['Azure', () => azure(clientSecret()), 1],
] as const)('the connection test of %s asks the cloud', async (_name, given, models) => {
  const asked = await ask(given(), testWays);
  expect(asked.ok && asked.models.length).toBeGreaterThanOrEqual(models);
});

const FAULTS: readonly (readonly [string, () => Given, string, RegExp])[] = [
  [
    'a wrong secret of AWS',
    () => bedrock(accessKey({ secretAccessKey: 'wrong-secret-of-the-key' })),
    'key_refused',
    /rejects the key\. The upstream says: The security token/,
  ],
  ['a wrong API key of Bedrock', () => bedrock('another-key-0123456789'), 'key_refused', /./],
  [
    'an identity of AWS without a region',
    () => bedrock(accessKey({ region: undefined })),
    'key_refused',
    /names a region/,
  ],
  [
    'a robot that Google does not know',
    () => vertex(serviceAccount({ client_email: 'other@x.iam.gserviceaccount.com' })),
    'key_refused',
    /Google's token endpoint answered with status 400 \(invalid_grant\)\. Check the identity/,
  ],
  [
    'a wrong secret of Entra',
    () => azure(clientSecret({ clientSecret: 'wrong-secret-of-the-client' })),
    'key_refused',
    /Entra's token endpoint answered with status 401 \(invalid_client\)/,
  ],
  [
    'an issuer at an address that is refused',
    () => azure(clientSecret({ authorityHost: 'http://10.0.0.1' })),
    'address_refused',
    /may not connect to the address of Entra/,
  ],
  [
    'the gateway itself',
    () => azure('{"type":"ambient"}'),
    'not_testable',
    /identity is that of its edges/,
  ],
];

test.each(FAULTS)(
  '%s is told in plain words, without the secret',
  async (_name, given, code, words) => {
    const asked = await ask(given(), testWays);
    expect(asked).toMatchObject({ ok: false, failure: { code } });
    const message = asked.ok ? '' : asked.failure.message;
    expect(message).toMatch(words);
    expect(message).not.toMatch(/wrong-secret|another-key|BEGIN PRIVATE/);
  },
);

test.each([
  ['Bedrock', () => bedrock(accessKey())],
  ['Vertex AI', () => vertex(serviceAccount())],
  ['Azure', () => azure(clientSecret())],
] as const)('%s: an identity that may not list models is told so', async (_name, given) => {
  await put({ mayList: false });
  const asked = await ask(given(), testWays);
  expect(asked).toMatchObject({ ok: false, failure: { code: 'not_permitted', field: 'apiKey' } });
});

test('lists of AWS are at the host beside that of requests', () => {
  const originOf = (url: string) => bedrockOrigin(new URL(url));
  expect(originOf('https://bedrock-runtime.us-east-1.amazonaws.com')).toBe(
    'https://bedrock.us-east-1.amazonaws.com',
  );
  expect(originOf('https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com')).toBe(
    'https://bedrock-fips.us-gov-west-1.amazonaws.com',
  );
  expect(originOf('https://proxy.example:8443/x')).toBe('https://proxy.example:8443');
  expect(originOf('https://vpce-1-a.bedrock-runtime.us-east-1.vpce.amazonaws.com')).toBeUndefined();
});
