import axios, { type AxiosResponse } from 'axios';
import { z } from 'zod';

import {
  demoSchema,
  seedDemo,
  signIn,
  type Demo,
  type SeedMcpServer,
  type SeedProvider,
} from './seed';
import type { Layout } from './services';
import type { State } from './state';

const FILE = 'demo.json';
const PROVIDERS_FILE = 'demo-providers.json';
const MCP_SERVERS_FILE = 'demo-mcp-servers.json';

/** The simulator as a provider; prices in USD per million tokens, invented for the demo. */
export function simulatorProvider(layout: Layout): SeedProvider {
  return {
    name: 'simulator',
    type: 'PROVIDER_A',
    baseUrl: `http://127.0.0.1:${String(layout.ports.simulator)}/v1`,
    apiKey: 'simulator-key',
    models: [
      { name: 'demo', upstreamModel: 'sim', input: '2.50', cacheRead: '1.25', output: '10.00' },
      {
        name: 'demo-mini',
        upstreamModel: 'sim-mini',
        input: '0.15',
        cacheRead: '0.075',
        output: '0.60',
      },
    ],
  };
}

const modelList = z.object({ data: z.array(z.object({ id: z.string() })).min(1) });

/** Providers from the environment. Throws when a named vLLM server does not list its model. */
export async function realProviders(env: {
  readonly OPENAI_API_KEY?: string | undefined;
  readonly ANTHROPIC_API_KEY?: string | undefined;
  readonly GEMINI_API_KEY?: string | undefined;
  readonly VLLM_BASE_URL?: string | undefined;
  readonly VLLM_MODEL?: string | undefined;
}): Promise<SeedProvider[]> {
  const providers: SeedProvider[] = [];
  if (env.OPENAI_API_KEY !== undefined) {
    providers.push({
      name: 'openai',
      type: 'PROVIDER_A',
      baseUrl: 'https://api.openai.com/v1',
      apiKey: env.OPENAI_API_KEY,
      // The vendor's list price when this was written; edit a model's prices in the catalog.
      models: [
        {
          name: 'gpt-4o-mini',
          upstreamModel: 'gpt-4o-mini',
          input: '0.15',
          cacheRead: '0.075',
          output: '0.60',
        },
      ],
    });
  }
  if (env.ANTHROPIC_API_KEY !== undefined) {
    const prices = {
      input: '1.00',
      cacheRead: '0.10',
      cacheWrite5m: '1.25',
      cacheWrite1h: '2.00',
      output: '5.00',
    };
    providers.push({
      name: 'anthropic',
      type: 'PROVIDER_B',
      baseUrl: 'https://api.anthropic.com',
      apiKey: env.ANTHROPIC_API_KEY,
      models: [{ name: 'claude-haiku-4-5', upstreamModel: 'claude-haiku-4-5', ...prices }],
    });
  }
  if (env.GEMINI_API_KEY !== undefined) {
    const prices = { input: '0.30', cacheRead: '0.075', output: '2.50' };
    providers.push({
      name: 'gemini',
      type: 'PROVIDER_C',
      baseUrl: 'https://generativelanguage.googleapis.com',
      apiKey: env.GEMINI_API_KEY,
      models: [{ name: 'gemini-2.5-flash', upstreamModel: 'gemini-2.5-flash', ...prices }],
    });
  }
  if (env.VLLM_BASE_URL !== undefined) {
    const baseUrl = env.VLLM_BASE_URL.replace(/\/$/, '');
    const name = env.VLLM_MODEL ?? (await firstModel(baseUrl));
    providers.push({
      name: 'vllm',
      type: 'PROVIDER_D',
      baseUrl,
      apiKey: 'none',
      models: [{ name, upstreamModel: name, input: '0', cacheRead: '0', output: '0' }],
    });
  }
  return providers;
}

async function firstModel(baseUrl: string): Promise<string> {
  const root = baseUrl.replace(/\/v1$/, '');
  const answer = await axios.get(`${root}/v1/models`, { timeout: 10_000 });
  return modelList.parse(answer.data).data[0]?.id ?? '';
}

/** The demo of an earlier start if it still works on this database, else a new one. */
export async function openDemo(
  state: State,
  layout: Layout,
  providers: readonly SeedProvider[],
  mcpServers: readonly SeedMcpServer[],
): Promise<Demo> {
  const local = (port: number): string => `http://127.0.0.1:${String(port)}`;
  const urls = {
    edgeUrl: local(layout.ports.edge),
    catalogUrl: local(layout.ports.catalog),
    adminUrl: local(layout.ports.admin),
    simulatorUrl: local(layout.ports.simulator),
  };
  const kept = demoSchema.safeParse(state.readJson(FILE));
  // A vendor key that was set since then adds its provider; an older release had no MCP servers.
  const seededBefore = (file: string): readonly string[] =>
    z.array(z.string()).safeParse(state.readJson(file)).data ?? [];
  const providersBefore = seededBefore(PROVIDERS_FILE);
  const serversBefore = seededBefore(MCP_SERVERS_FILE);
  const complete =
    providers.every(({ name }) => providersBefore.includes(name)) &&
    mcpServers.every(({ identifier }) => serversBefore.includes(identifier));
  if (kept.success && complete && (await stillThere({ ...kept.data, ...urls }))) {
    const demo = { ...kept.data, ...urls };
    state.writeJson(FILE, demo);
    return demo;
  }
  const admin = { email: layout.adminEmail, password: state.secrets.adminPassword };
  const seeded = await seedDemo({ catalogUrl: urls.catalogUrl, admin, providers, mcpServers });
  const demo: Demo = { ...urls, ...seeded, admin };
  state.writeJson(FILE, demo);
  state.writeJson(
    PROVIDERS_FILE,
    providers.map(({ name }) => name),
  );
  state.writeJson(
    MCP_SERVERS_FILE,
    mcpServers.map(({ identifier }) => identifier),
  );
  return demo;
}

async function stillThere(demo: Demo): Promise<boolean> {
  try {
    const client = await signIn(demo.catalogUrl, demo.admin.email, demo.admin.password);
    await client.get(`/api/organisations/${demo.organisationId}`);
    return true;
  } catch (error) {
    // Another database: without the account or the organisation, both are created.
    const status = axios.isAxiosError(error) ? error.response?.status : undefined;
    const absent = status === 401 || status === 404 || String(error).includes(': 404 ');
    if (absent) return false;
    throw error;
  }
}

const chatAnswer = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }),
});

export interface DemoAnswer {
  readonly content: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: string;
  readonly budgetLeftUsd: string;
}

const CHAT_PATIENCE_MS = 30_000;

/**
 * One chat through the edge, like any application's. It retries on 503 like an SDK: a Redis that
 * has just started refuses requests for a grace, in which edges restore what it lost.
 */
export async function demoChat(demo: Demo): Promise<DemoAnswer> {
  const deadline = performance.now() + CHAT_PATIENCE_MS;
  const ask = (): Promise<AxiosResponse> =>
    axios.post(
      `${demo.edgeUrl}/v1/chat/completions`,
      { model: 'demo', messages: [{ role: 'user', content: 'What does a tollgate do?' }] },
      {
        headers: { authorization: `Bearer ${demo.apiKey}` },
        timeout: 30_000,
        validateStatus: () => true,
      },
    );
  let answer = await ask();
  while (answer.status === 503 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    answer = await ask();
  }
  if (answer.status !== 200) {
    throw new Error(`The edge answered ${String(answer.status)}: ${JSON.stringify(answer.data)}`);
  }
  const { choices, usage } = chatAnswer.parse(answer.data);
  const header = (name: string): string => String(answer.headers[name] ?? 'unknown');
  return {
    content: choices[0]?.message.content ?? '',
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.completion_tokens,
    costUsd: header('x-tollgate-cost-usd'),
    budgetLeftUsd: header('x-tollgate-budget-remaining-usd'),
  };
}
