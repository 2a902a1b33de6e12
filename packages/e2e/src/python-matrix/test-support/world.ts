// A gateway with a provider of every type and the models of the cells.

import { join } from 'node:path';

import { expectStatus, newTenant, startGateway, type Gateway, type Tenant } from '../..';
import { modelOf } from '../../sdk-matrix/test-support/matrix';
import { UPSTREAMS, type Upstream } from '../../sdk-matrix/test-support/upstreams';
import { startDriver, type Call, type Driver, type Outcome } from './driver';
import { startRecorder, type Attempt, type Recorder } from './recorder';
import { pythonWith } from './venv';

const FOLDER = join(__dirname, '..');

/** The kinds of model, by the suffix of their names, with their directives for the simulator. */
const MODELS = {
  chat: { type: 'chat', directives: '' },
  counted: { type: 'chat', directives: 'input-100.cached-40.reasoning-5' },
  fails: { type: 'chat', directives: 'status-500' },
  rejects: { type: 'chat', directives: 'status-400' },
  limits: { type: 'chat', directives: 'status-429' },
  denies: { type: 'chat', directives: 'status-401' },
  breaks: { type: 'chat', directives: 'error-after-2' },
  embeds: { type: 'embeddings', directives: '' },
  draws: { type: 'image', directives: '' },
  speaks: { type: 'tts', directives: '' },
  hears: { type: 'transcription', directives: '' },
  judges: { type: 'moderation', directives: '' },
} as const;
export type ModelKind = keyof typeof MODELS;

/** Custom providers are part of the other matrix. */
export const PROVIDERS = UPSTREAMS.filter(({ provider }) => provider.type !== 'CUSTOM');

/** A model whose upstream never answers. */
export const SILENT = 'silent';

export interface Received {
  readonly path: string;
  readonly body: unknown;
}

export interface Seen {
  readonly outcome: Outcome;
  readonly attempts: readonly Attempt[];
  /** The requests that reached the upstream. */
  readonly received: readonly Received[];
}

export interface World {
  readonly gateway: Gateway;
  readonly tenant: Tenant;
  readonly key: string;
  readonly modelIds: readonly string[];
  /** The reason why a model could not be registered. */
  readonly unregistered: ReadonlyMap<string, string>;
  readonly run: (sdk: string, name: string, model: string, over?: Partial<Call>) => Promise<Seen>;
  readonly stop: () => Promise<void>;
}

export async function startWorld(): Promise<World> {
  const python = await pythonWith(join(FOLDER, 'requirements.txt'));
  // The edge must not poll for a background response while another case counts the upstream's
  // calls.
  const gateway = await startGateway({ env: { edge: { BACKGROUND_POLL_MS: '3600000' } } });
  const stops: (() => Promise<void>)[] = [gateway.stop];
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).toReversed()) await end();
  };
  try {
    const recorder = await startRecorder(gateway.edgeUrl());
    stops.push(recorder.stop);
    const driver = startDriver(python, join(FOLDER, 'python/driver.py'));
    stops.push(driver.stop);
    return { ...(await setUp(gateway, recorder, driver)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function setUp(
  gateway: Gateway,
  recorder: Recorder,
  driver: Driver,
): Promise<Omit<World, 'stop'>> {
  const tenant = await newTenant(gateway, { organisation: { openCompatRoutes: true } });
  const upstreamKey = `sk-sim-${tenant.slug}`;
  const unregistered = new Map<string, string>();
  const modelIds: string[] = [];
  for (const upstream of PROVIDERS) await add(upstream);
  modelIds.push(await addSilent());
  const { key } = await tenant.key({ modelIds });
  return { gateway, tenant, key, modelIds, unregistered, run };

  async function add(upstream: Upstream): Promise<void> {
    const { path, ...rest } = upstream.provider;
    const { id: providerId } = await tenant.create('providers', {
      name: upstream.name,
      baseUrl: `${gateway.simulatorUrl}${path}`,
      apiKey: upstreamKey,
      ...rest,
    });
    for (const [kind, { type, directives }] of Object.entries(MODELS)) {
      const name = modelOf(upstream, kind);
      const upstreamModel = [upstream.model, directives].filter((word) => word !== '').join('.');
      const prices = [{ steps: [{ fromInputTokens: 0, input: '2.50', output: '10.00' }] }];
      const model = { name, providerId, upstreamModel, type, prices };
      const made = await gateway.rest.post(`${tenant.base}/models`, model);
      if (made.status === 422) unregistered.set(name, JSON.stringify(made.data));
      else modelIds.push((expectStatus(made, 201).data as { id: string }).id);
    }
  }

  /** The model of a provider whose answer has a short timeout. */
  async function addSilent(): Promise<string> {
    const { id: providerId } = await tenant.create('providers', {
      name: SILENT,
      type: 'PROVIDER_A',
      baseUrl: `${gateway.simulatorUrl}/v1`,
      apiKey: upstreamKey,
      firstByteTimeoutMs: 100,
    });
    return tenant.model(SILENT, 'sim-timeout', { providerId });
  }

  async function run(sdk: string, name: string, model: string, over: Partial<Call> = {}) {
    const requests = `${gateway.simulatorUrl}/_sim/requests`;
    await fetch(requests, { method: 'DELETE' });
    recorder.taken();
    const outcome = await driver.run(sdk, name, { url: recorder.url, key, model, ...over });
    const answer = await fetch(`${requests}?apiKey=${upstreamKey}`);
    const { data: received } = (await answer.json()) as { data: Received[] };
    return { outcome, attempts: recorder.taken(), received };
  }
}
