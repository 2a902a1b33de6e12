import { previewOf } from './api-keys';
import { awsRegionOf, cloudUrlProblem, isOwnService, readIdentity } from './cloud-identities';
import type { Cloud } from './clouds';

const AWS = { type: 'aws_access_key', accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 's' };
const ENTRA = { type: 'entra_client_secret', tenantId: 't', clientId: 'c', clientSecret: 's' };
const PEM = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n';
const ACCOUNT = { type: 'service_account', client_email: 'a@b', private_key: PEM, project_id: 'p' };

test.each([
  ['google', ACCOUNT, { token_uri: 'https://oauth2.googleapis.com/token' }],
  ['azure', ENTRA, { scope: 'https://cognitiveservices.azure.com/.default' }],
  ['aws', AWS, { accessKeyId: AWS.accessKeyId }],
  ['aws', { type: 'ambient', region: 'eu-west-1' }, { type: 'ambient' }],
] as const)('an identity at %s is read: %j', (cloud, document, expected) => {
  const read = readIdentity(cloud, JSON.stringify(document));
  expect(read).toMatchObject({ kind: 'identity', identity: expected });
});

test.each([
  ['google', '{', '', 'JSON'],
  ['google', JSON.stringify({ ...ACCOUNT, private_key: 'no' }), 'private_key', 'PEM'],
  ['google', JSON.stringify(AWS), 'type', 'one of service_account, ambient'],
  ['google', JSON.stringify({ ...ACCOUNT, token_uri: 'ftp://x' }), 'token_uri', ''],
  ['azure', JSON.stringify({ ...ENTRA, clientSecret: '' }), 'clientSecret', ''],
  ['azure', JSON.stringify({ ...ENTRA, tenantId: 'a/b' }), 'tenantId', 'tenant'],
  ['aws', JSON.stringify({ ...AWS, region: 'europe' }), 'region', 'us-east-1'],
  ['aws', JSON.stringify({ ...AWS, secretAccessKey: 'has space' }), 'secretAccessKey', 'spaces'],
] as const)('at %s, %s is refused at %j', (cloud, document, field, problem) => {
  const read = readIdentity(cloud, document);
  expect(read).toMatchObject({ kind: 'invalid', field });
  expect(read.kind === 'invalid' && read.problem).toContain(problem);
});

test.each(['google', 'azure', 'aws'] as const)('at %s, what is no document is a key', (cloud) => {
  expect(readIdentity(cloud, 'a-key-0123456789')).toEqual({ kind: 'key' });
});

test.each([
  ['https://bedrock-runtime.us-east-1.amazonaws.com', 'us-east-1'],
  ['https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com', 'us-gov-west-1'],
  ['https://vpce-1.bedrock-runtime.eu-central-1.vpce.amazonaws.com', 'eu-central-1'],
  ['https://bedrock-runtime.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
  ['https://bedrock-runtime.us-east-1.amazonaws.com.evil.example', undefined],
  ['https://evil-bedrock-runtime.us-east-1.amazonaws.com', undefined],
  ['http://127.0.0.1:8080', undefined],
])('the region of %s is %s', (url, region) => {
  expect(awsRegionOf(new URL(url))).toBe(region);
});

test.each([
  [
    'google',
    'https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1',
    true,
  ],
  ['google', 'https://aiplatform.eu.rep.googleapis.com', true],
  ['google', 'http://us-central1-aiplatform.googleapis.com', false],
  ['google', 'https://us-central1-aiplatform.googleapis.com:8443', false],
  ['google', 'https://us-central1-aiplatform.googleapis.com.evil.example', false],
  ['google', 'https://evil.example/aiplatform.googleapis.com', false],
  ['azure', 'https://my-resource.openai.azure.com', true],
  ['azure', 'https://my.resource.openai.azure.com', false],
  ['azure', 'https://openai.azure.com.evil.example', false],
  ['aws', 'https://bedrock-runtime.us-east-1.amazonaws.com', true],
  ['aws', 'https://s3.us-east-1.amazonaws.com', false],
] as const satisfies readonly (readonly [Cloud, string, boolean])[])(
  'at %s, %s is the own service of the cloud: %s',
  (cloud, url, own) => {
    expect(isOwnService(cloud, new URL(url))).toBe(own);
  },
);

test.each([
  ['https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1', undefined],
  ['https://aiplatform.googleapis.com/v1/projects/p/locations/global', undefined],
  ['https://aiplatform.eu.rep.googleapis.com/v1/projects/p/locations/eu/', undefined],
  ['https://proxy.example/v1/projects/p/locations/us-central1', undefined],
  ['https://us-central1-aiplatform.googleapis.com', 'its path must name project and location'],
  [
    'https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/europe-west1',
    'its host is of the location us-central1',
  ],
])('what is wrong with %s: %s', (url, problem) => {
  expect(cloudUrlProblem('google', new URL(url))).toEqual(
    problem === undefined ? undefined : expect.stringContaining(problem),
  );
});

test('documents are told apart by their previews, which show nothing of them', () => {
  const previews = [AWS, { ...AWS, secretAccessKey: 'other' }].map((one) =>
    previewOf(JSON.stringify(one)),
  );
  expect(new Set(previews).size).toBe(2);
  expect(previews.join()).toMatch(/^\{…\}[0-9a-f]{8},\{…\}[0-9a-f]{8}$/);
});
