// Amazon Bedrock: with access keys, temporary credentials and API keys. The simulator checks every signature.

import {
  AWS_KEY,
  AWS_SECRET,
  startClouds,
  SUBJECT_TOKEN,
  type CloudHarness,
} from '../../test-support/clouds';
import { chat, errorOf, MODEL } from '../../test-support/harness';

let h: CloudHarness;
beforeAll(async () => {
  h = await startClouds((simulator, folder) => ({
    AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/gateway',
    AWS_WEB_IDENTITY_TOKEN_FILE: `${folder}/aws-token`,
    AWS_ENDPOINT_URL_STS: `${simulator}/_cloud/sts/`,
  }));
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const region = 'eu-central-1';
const accessKey = JSON.stringify({
  type: 'aws_access_key',
  accessKeyId: AWS_KEY,
  secretAccessKey: AWS_SECRET,
  region,
});
const AMBIENT = JSON.stringify({ type: 'ambient', region });
const message = (over: object = {}) => ({
  model: MODEL,
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hello there' }],
  ...over,
});

function bedrock(secret = accessKey, model = 'sim') {
  const chosen = { providerType: 'PROVIDER_H', upstreamFormat: 'anthropic', model };
  return h.serve({ ...chosen, baseUrl: h.simulator.url, secret });
}

async function received() {
  const list = (await (await fetch(`${h.simulator.url}/_sim/requests`)).json()) as {
    data: { path: string; headers: Record<string, string>; body: Record<string, unknown> }[];
  };
  return list.data.at(-1);
}

test.each([
  'sim',
  'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  'arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.x',
])(
  'the model %s answers whole and as a stream, with signatures that are accepted',
  async (model) => {
    bedrock(accessKey, model);
    const whole = await h.post('/v1/messages', message());
    expect(whole.status).toBe(200);
    expect(await whole.json()).toMatchObject({
      model: MODEL,
      content: [{ text: 'You said: Hello there' }],
      usage: { output_tokens: 6 },
    });
    const stream = await h.post('/v1/messages', message({ stream: true }));
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    expect(await stream.text()).toMatch(/event: message_start\n[^]*event: message_stop\n/);
    expect(await h.counts()).toMatchObject({ accepted: 2, rejected: 0 });
  },
);

test('a stream is billed with the counts that it reports', async () => {
  bedrock();
  await (await h.post('/v1/messages', message({ stream: true }))).text();
  expect(await h.settled()).toMatchObject({
    usage: { input: 9, output: 6 },
    usageQuality: 'EXACT',
    outcome: 'COMPLETED',
  });
});

test('the body has the version and what is in trial, and neither model nor stream', async () => {
  bedrock();
  const beta = { 'anthropic-beta': 'context-1m-2025-08-07, token-efficient-tools-2025-02-19' };
  await (await h.post('/v1/messages', message({ stream: true }), beta)).text();
  const { body, headers, path } = (await received()) ?? {};
  expect(path).toBe('/model/sim/invoke-with-response-stream');
  expect(body).toMatchObject({
    anthropic_version: 'bedrock-2023-05-31',
    anthropic_beta: ['context-1m-2025-08-07', 'token-efficient-tools-2025-02-19'],
  });
  expect(Object.keys(body ?? {})).not.toEqual(expect.arrayContaining(['model']));
  expect(Object.keys(body ?? {})).not.toEqual(expect.arrayContaining(['stream']));
  expect(headers?.['anthropic-beta']).toBeUndefined();
});

test('clients of other formats get tools and streams from it', async () => {
  bedrock();
  const functions = [{ type: 'function', function: { name: 'get_weather', parameters: {} } }];
  const asked = { tools: functions, messages: [{ role: 'user', content: 'get_weather please' }] };
  const stream = await h.post('/v1/chat/completions', chat({ ...asked, stream: true }));
  expect(await stream.text()).toMatch(/"name":"get_weather"[^]*\[DONE\]/);
});

test('tokens are estimated, because it does not count them in this way', async () => {
  bedrock();
  const counted = await h.post('/v1/messages/count_tokens', message({ max_tokens: undefined }));
  expect(counted.status).toBe(200);
  expect(await received()).toBeUndefined();
});

test('an exception within a stream is an error of the format', async () => {
  bedrock(accessKey, 'sim+error-after-2');
  const broken = await (await h.post('/v1/messages', message({ stream: true }))).text();
  expect(broken).toMatch(/event: error\ndata: .*rate_limit_error/);
});

test('a wrong secret is the failure of the provider', async () => {
  bedrock(accessKey.replace(AWS_SECRET, 'wrong/secret'));
  const refused = await h.post('/v1/messages', message());
  expect(refused.status).toBe(502);
  expect(await errorOf(refused)).toMatchObject({ code: 'provider_auth_failed' });
  expect(await h.counts()).toMatchObject({ accepted: 0, rejected: 1 });
});

test('an API key is sent as it is', async () => {
  bedrock('bedrock-api-key-0123456789');
  expect((await h.post('/v1/messages', message())).status).toBe(200);
  const { headers } = (await received()) ?? {};
  expect(headers?.['authorization']).toBe('Bearer bedrock-api-key-0123456789');
});

test('its endpoint in the chat format is signed too', async () => {
  const baseUrl = `${h.simulator.url}/bedrock/openai/v1`;
  const chosen = { providerType: 'PROVIDER_H', upstreamFormat: 'openai', model: 'sim' };
  h.serve({ ...chosen, baseUrl, secret: accessKey });
  expect(await (await h.post('/v1/chat/completions', chat())).json()).toMatchObject({
    choices: [{ message: { content: 'You said: Hi' } }],
  });
  const stream = await h.post('/v1/chat/completions', chat({ stream: true }));
  expect(await stream.text()).toContain('data: [DONE]');
  expect(await h.counts()).toMatchObject({ accepted: 2, rejected: 0 });
});

describe("the role of the gateway's pod", () => {
  test('a hundred requests at once assume it once, and a rotated token once more', async () => {
    h.write('aws-token', SUBJECT_TOKEN);
    bedrock(AMBIENT);
    const ask = () => h.post('/v1/messages', message());
    const answers = await Promise.all(Array.from({ length: 100 }, ask));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await h.counts()).toMatchObject({ issued: { sts: 1 }, accepted: 100, rejected: 0 });
    // The old token of the file is no longer accepted, and the session has ended.
    await h.put({ subjectTokens: ['rotated'] });
    h.write('aws-token', 'rotated');
    await h.expire();
    expect((await ask()).status).toBe(200);
    expect(await h.counts()).toMatchObject({ issued: { sts: 2 }, rejected: 1 });
  });
});
