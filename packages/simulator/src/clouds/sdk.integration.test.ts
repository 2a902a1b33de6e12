// The vendors' own SDKs reach the simulator's clouds with their own signatures and tokens, so its checks are theirs.

import {
  BedrockRuntimeClient,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { GoogleGenAI } from '@google/genai';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { AzureOpenAI } from 'openai';

import type { CloudCounts } from '.';
import { startSimulator, type Simulator } from '../simulator';

let simulator: Simulator;
const KEY = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const SUBJECT = 'token-of-the-workload';

beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());
beforeEach(async () => {
  const control = `${simulator.url}/_sim/clouds`;
  await fetch(control, { method: 'DELETE' });
  const settings = {
    awsKeys: { [KEY.accessKeyId]: KEY.secretAccessKey },
    subjectTokens: [SUBJECT],
    entraClients: { client: 'secret' },
  };
  await fetch(control, { method: 'PUT', body: JSON.stringify(settings) });
});

/** The SDK's default fetch needs a global that the test runner does not expose. */
const plainFetch: typeof fetch = (input, init) => {
  const { dispatcher: _, ...rest }: RequestInit & { dispatcher?: unknown } = init ?? {};
  return fetch(input, rest);
};

async function counts(): Promise<CloudCounts> {
  return (await (await fetch(`${simulator.url}/_sim/clouds`)).json()) as CloudCounts;
}

async function tokenFrom(path: string, body: URLSearchParams): Promise<string> {
  const answer = await fetch(simulator.url + path, { method: 'POST', body });
  return ((await answer.json()) as { access_token: string }).access_token;
}

const expire = () => fetch(`${simulator.url}/_sim/clouds/expire`, { method: 'POST' });

const body = JSON.stringify({
  anthropic_version: 'bedrock-2023-05-31',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hello' }],
});
const asked = { modelId: 'sim.anthropic-v1:0', contentType: 'application/json', body };
const bedrock = (credentials = KEY) =>
  new BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint: simulator.url,
    credentials,
    maxAttempts: 1,
    // Its usual one speaks HTTP/2 only.
    requestHandler: new NodeHttpHandler(),
  });

test('the SDK of AWS invokes a model, and is refused with another secret', async () => {
  const answer = await bedrock().send(new InvokeModelCommand(asked));
  expect(JSON.parse(Buffer.from(answer.body).toString('utf8'))).toMatchObject({
    content: [{ text: 'You said: Hello' }],
  });
  const wrong = bedrock({ ...KEY, secretAccessKey: 'another' });
  await expect(wrong.send(new InvokeModelCommand(asked))).rejects.toMatchObject({
    $metadata: { httpStatusCode: 403 },
  });
  expect(await counts()).toMatchObject({ accepted: 1, rejected: 1 });
});

test('it reads the frames of a stream, and an exception among them', async () => {
  const { body: stream } = await bedrock().send(new InvokeModelWithResponseStreamCommand(asked));
  const types: string[] = [];
  for await (const { chunk } of stream ?? []) {
    const event = JSON.parse(Buffer.from(chunk?.bytes ?? []).toString('utf8')) as { type: string };
    types.push(event.type);
  }
  expect([types[0], types.at(-1)]).toEqual(['message_start', 'message_stop']);
  const broken = await bedrock().send(
    new InvokeModelWithResponseStreamCommand({ ...asked, modelId: 'sim+error-after-1' }),
  );
  const read = async () => {
    for await (const _ of broken.body ?? []);
  };
  await expect(read()).rejects.toMatchObject({ name: 'ThrottlingException' });
});

test('the SDK of Google asks Vertex AI with a token, and is refused when it has ended', async () => {
  const form = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: SUBJECT,
  });
  const authorization = `Bearer ${await tokenFrom('/_cloud/google/token', form)}`;
  const client = new GoogleGenAI({
    vertexai: true,
    project: 'my-project',
    location: 'us-central1',
    apiVersion: 'v1',
    httpOptions: { baseUrl: simulator.url, fetch: plainFetch },
    // What it uses to get tokens itself is imported dynamically, which the test runner does not do.
    googleAuthOptions: {
      authClient: { getRequestHeaders: async () => new Headers({ authorization }) } as never,
    },
  });
  const answer = await client.models.generateContent({ model: 'sim', contents: 'Hello' });
  expect(answer.text).toBe('You said: Hello');
  const stream = await client.models.generateContentStream({ model: 'sim', contents: 'Hello' });
  let text = '';
  for await (const chunk of stream) text += chunk.text ?? '';
  expect(text).toBe('You said: Hello');
  expect(await counts()).toMatchObject({ issued: { google: 1 }, accepted: 2, rejected: 0 });
  await expire();
  await expect(
    client.models.generateContent({ model: 'sim', contents: 'Hello' }),
  ).rejects.toMatchObject({ status: 401 });
});

test('the SDK of OpenAI asks Azure with a token of Entra, and is refused when it has ended', async () => {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'client',
    client_secret: 'secret',
    scope: 'https://cognitiveservices.azure.com/.default',
  });
  const token = await tokenFrom('/_cloud/entra/tenant/oauth2/v2.0/token', form);
  const client = new AzureOpenAI({
    endpoint: simulator.url,
    apiVersion: '2025-01-01',
    azureADTokenProvider: () => Promise.resolve(token),
    maxRetries: 0,
  });
  const ask = () =>
    client.chat.completions.create({
      model: 'sim',
      messages: [{ role: 'user', content: 'Hello' }],
    });
  expect((await ask()).choices[0]?.message.content).toBe('You said: Hello');
  await expire();
  await expect(ask()).rejects.toMatchObject({ status: 401 });
});
