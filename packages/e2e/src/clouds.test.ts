import { generateKeyPairSync } from 'node:crypto';
import axios, { type AxiosResponse } from 'axios';

import {
  expectStatus,
  newTenant,
  recordOf,
  requestIdOf,
  startGateway,
  type Gateway,
  type Tenant,
} from '.';

// Identities at clouds from the management API to the bill. The simulator verifies each token and each signature.

const ROBOT = 'robot@my-project.iam.gserviceaccount.com';
const LOCATION = '/v1/projects/my-project/locations/us-central1';
const AWS_KEY = 'AKIAIOSFODNN7EXAMPLE';
const SECRETS = {
  aws: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  azure: 'entra~secret-0123456789',
};
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });

let gateway: Gateway;
let tenant: Tenant;
let key: string;

const identities = () => ({
  google: JSON.stringify({
    type: 'service_account',
    client_email: ROBOT,
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    token_uri: `${gateway.simulatorUrl}/_cloud/google/token`,
  }),
  azure: JSON.stringify({
    type: 'entra_client_secret',
    tenantId: 'tenant',
    clientId: 'client',
    clientSecret: SECRETS.azure,
    authorityHost: `${gateway.simulatorUrl}/_cloud/entra`,
  }),
  aws: JSON.stringify({
    type: 'aws_access_key',
    accessKeyId: AWS_KEY,
    secretAccessKey: SECRETS.aws,
    region: 'eu-central-1',
  }),
});

beforeAll(async () => {
  gateway = await startGateway();
  await axios.put(`${gateway.simulatorUrl}/_sim/clouds`, {
    googleKeys: { [ROBOT]: publicKey.export({ type: 'spki', format: 'pem' }) },
    entraClients: { client: SECRETS.azure },
    awsKeys: { [AWS_KEY]: SECRETS.aws },
  });
  tenant = await newTenant(gateway);
  const { aws, azure, google } = identities();
  const providers = [
    {
      name: 'gemini',
      type: 'PROVIDER_G',
      upstreamFormat: 'gemini',
      path: LOCATION,
      apiKey: google,
    },
    {
      name: 'claude',
      type: 'PROVIDER_G',
      upstreamFormat: 'anthropic',
      path: LOCATION,
      apiKey: google,
    },
    { name: 'azure', type: 'PROVIDER_F', path: '', apiVersion: '2026-01-01', apiKey: azure },
    { name: 'bedrock', type: 'PROVIDER_H', upstreamFormat: 'anthropic', path: '', apiKey: aws },
  ];
  const modelIds: string[] = [];
  for (const { name, path, ...settings } of providers) {
    const baseUrl = `${gateway.simulatorUrl}${path}`;
    const provider = await tenant.create('providers', { name, baseUrl, ...settings });
    modelIds.push(await tenant.model(name, 'sim', { providerId: provider.id }));
  }
  ({ key } = await tenant.key({ modelIds }));
});
afterAll(() => gateway.stop());

function ask(model: string, over: object = {}): Promise<AxiosResponse<unknown>> {
  const messages = [{ role: 'user', content: 'Hello there' }];
  return axios.post(
    `${gateway.edgeUrl()}/v1/llm/chat`,
    { model, messages, ...over },
    { headers: { authorization: `Bearer ${key}` }, validateStatus: () => true },
  );
}

async function counts() {
  const { data } = await axios.get<{
    issued: Record<string, number>;
    accepted: number;
    rejected: number;
  }>(`${gateway.simulatorUrl}/_sim/clouds`);
  return data;
}

const MODELS = ['gemini', 'claude', 'azure', 'bedrock'] as const;

test.each(MODELS)('%s answers whole and as a stream, and is booked exactly', async (model) => {
  for (const stream of [false, true]) {
    const answer = expectStatus(await ask(model, { stream }), 200);
    expect(JSON.stringify(answer.data)).toContain(stream ? 'said' : 'You said: Hello there');
    expect(await recordOf(gateway, tenant, requestIdOf(answer))).toMatchObject({
      outcome: 'COMPLETED',
      usageQuality: 'EXACT',
      model,
      stream,
    });
  }
});

test.each(MODELS)('%s calls tools', async (model) => {
  const tools = [{ type: 'function', function: { name: 'get_weather', parameters: {} } }];
  const messages = [{ role: 'user', content: 'get_weather please' }];
  const answer = expectStatus(await ask(model, { tools, messages }), 200);
  expect(JSON.stringify(answer.data)).toContain('get_weather');
});

test('many requests at once, while all tokens end, cost one new token for each identity', async () => {
  for (const model of MODELS) expectStatus(await ask(model), 200);
  const before = await counts();
  expect(before.issued).toEqual({ google: 1, entra: 1 });
  await axios.post(`${gateway.simulatorUrl}/_sim/clouds/expire`);
  const answers = await Promise.all(
    MODELS.flatMap((model) => Array.from({ length: 25 }, () => ask(model))),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect((await counts()).issued).toEqual({ google: 2, entra: 2 });
});

test('identities are in no log', async () => {
  const logs = await gateway.logs();
  const [line = ''] = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
    .split('\n')
    .slice(1);
  for (const secret of [SECRETS.aws, SECRETS.azure, line, 'sim-google-', 'sim-azure-']) {
    expect(logs).not.toContain(secret);
  }
});
