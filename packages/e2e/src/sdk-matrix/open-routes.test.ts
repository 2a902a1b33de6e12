// Calls of the vendors' SDKs beside conversations, with the compatibility routes open: each
// operation of the OpenAI SDK at every provider that has it, and embeddings across formats in both
// directions.

import { GoogleGenAI } from '@google/genai';
import { GoogleGenAI as GoogleGenAI2 } from 'genai2';
import OpenAI, { toFile } from 'openai';
import OpenAI6 from 'openai6';

import {
  eventually,
  expectStatus,
  newTenant,
  recordOf,
  sharedGateway,
  type SharedGateway,
  type Tenant,
} from '..';
import { createRecorder } from './test-support/sdk';

let gateway: SharedGateway;
let tenant: Tenant;
let key: string;

interface ProviderRow {
  readonly type: string;
  readonly path: string;
  readonly settings?: object;
  readonly types: readonly string[];
}

/** Models are named after their provider and their type: `custom-image`. */
const PROVIDERS: Readonly<Record<string, ProviderRow>> = {
  openai: { type: 'PROVIDER_A', path: '/v1', types: ['embeddings'] },
  azure: {
    type: 'PROVIDER_F',
    path: '',
    settings: { apiVersion: '2026-01-01' },
    types: ['embeddings'],
  },
  gemini: { type: 'PROVIDER_C', path: '', types: ['embeddings'] },
  vllm: {
    type: 'PROVIDER_D',
    path: '/v1',
    types: ['chat', 'embeddings', 'image', 'tts', 'transcription'],
  },
  custom: {
    type: 'CUSTOM',
    path: '/v1',
    settings: { upstreamFormat: 'openai' },
    types: ['chat', 'embeddings', 'image', 'tts', 'transcription', 'moderation'],
  },
};
const EMBEDDING = Object.keys(PROVIDERS);

async function close(): Promise<void> {
  const body = { openCompatRoutes: false };
  expectStatus(await gateway.rest.patch(`${tenant.base}/settings`, body), 200);
}

beforeAll(async () => {
  gateway = await sharedGateway();
  tenant = await newTenant(gateway, { organisation: { openCompatRoutes: true } });
  const modelIds: string[] = [];
  for (const [name, { type, path, settings, types }] of Object.entries(PROVIDERS)) {
    const baseUrl = `${gateway.simulatorUrl}${path}`;
    const body = { name, type, baseUrl, apiKey: `sk-sim-${tenant.slug}`, ...settings };
    const { id: providerId } = await tenant.create('providers', body);
    for (const kind of types) {
      const over = { providerId, type: kind };
      modelIds.push(await tenant.model(`${name}-${kind}`, `sim-${name}-${kind}`, over));
    }
  }
  const { id: providerId } = await tenant.create('providers', {
    name: 'judge',
    type: 'CUSTOM',
    upstreamFormat: 'openai',
    baseUrl: `${gateway.simulatorUrl}/v1`,
    apiKey: `sk-sim-${tenant.slug}`,
  });
  const judge = { providerId, type: 'moderation' };
  modelIds.push(await tenant.model('omni-moderation-latest', 'sim-judge', judge));
  key = (await tenant.key({ modelIds })).key;
});

// TypeScript treats the types of two versions of a package as unrelated.
const OPENAI = { 'openai 6': OpenAI6 as unknown as typeof OpenAI, 'openai 7': OpenAI };
const GENAI = { 'genai 2': GoogleGenAI2 as unknown as typeof GoogleGenAI, 'genai 3': GoogleGenAI };

function openAi(Client: typeof OpenAI = OpenAI) {
  const { fetch: recording, attempts } = createRecorder();
  // Before its first form the SDK probes its fetch for features.
  const probed: typeof fetch = (url, init) =>
    url === 'data:,' ? fetch(url, init) : recording(url, init);
  const baseURL = `${gateway.edgeUrl()}/v1`;
  return { client: new Client({ baseURL, apiKey: key, fetch: probed, maxRetries: 0 }), attempts };
}

function genAi(Client: typeof GoogleGenAI, apiVersion: string) {
  const { fetch, attempts } = createRecorder();
  const httpOptions = { baseUrl: gateway.edgeUrl(), apiVersion, fetch };
  return { client: new Client({ apiKey: key, httpOptions }), attempts };
}

type Attempts = ReturnType<typeof createRecorder>['attempts'];

async function booked(attempts: Attempts) {
  expect(attempts).toHaveLength(1);
  const id = attempts[0]?.headers.get('x-tollgate-request-id') ?? '';
  return (await recordOf(gateway, tenant, id)) as {
    operation: string;
    outcome: string;
    usageQuality: string;
    tokens: Record<string, number>;
  };
}

const input = ['Hello there', 'Something else'];

describe.each(Object.entries(OPENAI))('%s embeds', (_, Client) => {
  test.each(EMBEDDING)('by %s', async (provider) => {
    const { client, attempts } = openAi(Client);
    const model = `${provider}-embeddings`;
    const { data, usage } = await client.embeddings.create({ model, input, dimensions: 4 });
    const [one, other] = data;
    expect(data.map(({ index }) => index)).toEqual([0, 1]);
    // By default the SDK requests base64 and decodes it.
    expect(one?.embedding).toHaveLength(4);
    expect(Math.hypot(...(one?.embedding ?? []))).toBeCloseTo(1);
    expect(other?.embedding).not.toEqual(one?.embedding);
    const record = await booked(attempts);
    expect(record).toMatchObject({
      operation: 'embeddings',
      outcome: 'COMPLETED',
      usageQuality: 'EXACT',
    });
    expect(record.tokens['input']).toBe(usage.prompt_tokens);

    const floats = await client.embeddings.create({
      model,
      input: 'Hello there',
      dimensions: 4,
      encoding_format: 'float',
    });
    expect(floats.data[0]?.embedding).toEqual(one?.embedding);
  });
});

describe.each(Object.entries(GENAI))('%s embeds', (_, Client) => {
  const cells = ['v1beta', 'v1'].flatMap((version) =>
    EMBEDDING.map((provider) => [version, provider] as const),
  );
  test.each(cells)('in %s by %s', async (version, provider) => {
    const { client, attempts } = genAi(Client, version);
    const { embeddings } = await client.models.embedContent({
      model: `${provider}-embeddings`,
      contents: input,
      config: { outputDimensionality: 4, taskType: 'CLUSTERING' },
    });
    expect(embeddings).toHaveLength(2);
    expect(embeddings?.[0]?.values).toHaveLength(4);
    expect(Math.hypot(...(embeddings?.[0]?.values ?? []))).toBeCloseTo(1);
    const dropped = provider === 'gemini' ? null : 'requests[].taskType';
    expect(attempts[0]?.headers.get('x-tollgate-dropped')).toBe(dropped);
    const record = await booked(attempts);
    expect(record).toMatchObject({ operation: 'embeddings', usageQuality: 'EXACT' });
    expect(record.tokens['input']).toBeGreaterThan(0);
  });
});

test('an input that another provider cannot embed is a 400 that names the field', async () => {
  const { client } = openAi();
  const ids = client.embeddings.create({ model: 'gemini-embeddings', input: [1, 2, 3] });
  await expect(ids).rejects.toMatchObject({ status: 400, param: 'input' });
});

const sound = () => toFile(new Uint8Array(40_000), 'sound.mp3', { type: 'audio/mpeg' });
const picture = () => toFile(new Uint8Array(500), 'picture.png', { type: 'image/png' });

interface Call {
  readonly operation: string;
  readonly providers: readonly string[];
  readonly ask: (client: OpenAI, provider: string) => Promise<unknown>;
}

const CALLS: readonly Call[] = [
  {
    operation: 'completions',
    providers: ['vllm', 'custom'],
    ask: async (client, provider) => {
      const prompt = 'Hello';
      const { choices } = await client.completions.create({ model: `${provider}-chat`, prompt });
      return choices[0]?.text;
    },
  },
  {
    operation: 'image_generation',
    providers: ['vllm', 'custom'],
    ask: async (client, provider) => {
      const body = { model: `${provider}-image`, prompt: 'A tree' };
      return (await client.images.generate(body)).data?.[0];
    },
  },
  {
    operation: 'image_edit',
    providers: ['vllm', 'custom'],
    ask: async (client, provider) => {
      const body = { model: `${provider}-image`, prompt: 'A tree', image: await picture() };
      return (await client.images.edit(body)).data?.[0];
    },
  },
  {
    operation: 'image_variation',
    providers: ['custom'],
    ask: async (client, provider) => {
      const body = { model: `${provider}-image`, image: await picture() };
      return (await client.images.createVariation(body)).data?.[0];
    },
  },
  {
    operation: 'speech',
    providers: ['vllm', 'custom'],
    ask: async (client, provider) => {
      const body = { model: `${provider}-tts`, input: 'Hello', voice: 'alloy' };
      return (await (await client.audio.speech.create(body)).arrayBuffer()).byteLength;
    },
  },
  {
    operation: 'transcription',
    providers: ['vllm', 'custom'],
    ask: async (client, provider) => {
      const body = { model: `${provider}-transcription`, file: await sound() };
      return (await client.audio.transcriptions.create(body)).text;
    },
  },
  {
    operation: 'translation',
    providers: ['vllm', 'custom'],
    ask: async (client, provider) => {
      const body = { model: `${provider}-transcription`, file: await sound() };
      return (await client.audio.translations.create(body)).text;
    },
  },
  {
    operation: 'moderation',
    providers: ['custom'],
    ask: async (client, provider) => {
      const body = { model: `${provider}-moderation`, input: 'Hello' };
      return (await client.moderations.create(body)).results[0];
    },
  },
];

const CELLS = CALLS.flatMap(({ providers, ...call }) =>
  providers.map((provider) => [call.operation, provider, call] as const),
);

test.each(CELLS)('%s by %s', async (operation, provider, { ask }) => {
  const { client, attempts } = openAi();
  expect(await ask(client, provider)).toBeTruthy();
  expect(await booked(attempts)).toMatchObject({ operation, outcome: 'COMPLETED' });
});

test('moderations without a model use the vendor’s default', async () => {
  const { client, attempts } = openAi();
  const { model } = await client.moderations.create({ input: 'Hello' });
  expect(model).toMatch(/judge|omni-moderation-latest/);
  expect(await booked(attempts)).toMatchObject({ operation: 'moderation', outcome: 'COMPLETED' });
});

test('an operation that the provider lacks is refused with that reason', async () => {
  const { client } = openAi();
  const asked = client.images.createVariation({ model: 'vllm-image', image: await picture() });
  await expect(asked).rejects.toMatchObject({ status: 400, code: 'unsupported_model' });
});

test('a model that no route can use cannot be registered', async () => {
  const never = await tenant.create('providers', {
    name: 'never',
    type: 'PROVIDER_B',
    baseUrl: gateway.simulatorUrl,
    apiKey: 'sk-never',
  });
  const body = { name: 'never', providerId: never.id, type: 'embeddings' };
  const answer = await gateway.rest.post(`${tenant.base}/models`, body);
  expect(answer.status).toBe(422);
  expect(JSON.stringify(answer.data)).toContain('no route serves models of type embeddings');
});

async function listed(path: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(gateway.edgeUrl() + path, { headers });
  const { data } = (await answer.json()) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

// The last tests of the file, because the routes stay closed.
describe('with the routes closed again', () => {
  beforeAll(async () => {
    await close();
    await eventually('told to the gateway', async () => {
      return !(await listed('/v1/models')).includes('custom-image');
    });
  });

  test.each(CELLS)('%s by %s is a 400 that names the setting', async (_, provider, { ask }) => {
    const { client, attempts } = openAi();
    await expect(ask(client, provider)).rejects.toMatchObject({
      status: 400,
      code: 'provider_mismatch',
      message: expect.stringContaining('openCompatRoutes') as string,
    });
    expect(attempts).toHaveLength(1);
  });

  test('models that no route can use are on no list, and the others are on the lists of their routes', async () => {
    const names = await listed('/v1/models');
    expect(names).toEqual(expect.arrayContaining(['custom-chat', 'gemini-embeddings']));
    expect(names).not.toContain('custom-image');
    expect(names).not.toContain('vllm-tts');
    expect((await listed('/v1/vllm/models')).toSorted()).toEqual([
      'vllm-chat',
      'vllm-embeddings',
      'vllm-transcription',
    ]);
  });

  test('embeddings of every provider are still served by the Gemini routes', async () => {
    const { client } = genAi(GoogleGenAI, 'v1beta');
    for (const provider of EMBEDDING) {
      const model = `${provider}-embeddings`;
      const { embeddings } = await client.models.embedContent({ model, contents: 'Hello' });
      expect(embeddings).toHaveLength(1);
    }
  });
});
