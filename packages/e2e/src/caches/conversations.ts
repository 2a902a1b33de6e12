import { Agent, fetch } from 'undici';

import type { Gateway } from '../gateway/gateway';
import { chat, eventually, expectStatus, newTenant, type Tenant } from '../gateway/tenant';
import { startDoor, type Door } from './door';

// Conversations whose prompts the simulator caches by account and model, on a key whose candidates can be
// killed. Each turn tells how much of it was read from a cache.

export const CANDIDATES = ['one', 'two', 'three'] as const;
const KEYS = ['a', 'b'] as const;
/** Where latencies count, answers take as long as those of a quick model; otherwise upstreams answer at once. */
const upstreamModel = (strategy: string, latencyMs: number): string =>
  strategy === 'lowest_latency' ? `sim-caches.slow-first-byte-${String(latencyMs)}` : 'sim-caches';
/** Weights of the candidates; only `weighted` reads them. */
export const WEIGHTS: readonly number[] = [1, 2, 3];
/** What the simulator can read of a prompt: whole steps. */
const STEP_TOKENS = 128;

export interface House {
  readonly tenant: Tenant;
  readonly key: string;
  readonly doors: readonly Door[];
  /** What the upstream has billed to each of its accounts. */
  readonly bill: () => Promise<ReadonlyMap<string, Billed>>;
}

export interface Billed {
  readonly requests: number;
  readonly input: number;
  readonly cacheRead: number;
  readonly output: number;
}

/** An organisation with three candidates at providers with two accounts each, and a policy over them. */
export async function furnish(
  gateway: Gateway,
  { latencyMs = 400, strategy }: { strategy: string; latencyMs?: number },
  cleanup: (() => Promise<unknown>)[],
): Promise<House> {
  const upstream = upstreamModel(strategy, latencyMs);
  const tenant = await newTenant(gateway, {
    organisation: { routingEnabled: true, routeCompatRequests: true },
  });
  const doors: Door[] = [];
  const modelIds: string[] = [];
  const accountOf = (candidate: string, key: string): string =>
    `sk-${tenant.slug}-${candidate}-${key}`;
  for (const name of CANDIDATES) {
    const door = await startDoor(gateway.simulatorUrl);
    cleanup.push(door.stop);
    doors.push(door);
    const { id: providerId } = await tenant.create('providers', {
      name,
      type: 'PROVIDER_A',
      baseUrl: `${door.url}/v1`,
      apiKeys: KEYS.map((key) => ({ name: key, apiKey: accountOf(name, key) })),
    });
    modelIds.push(await tenant.model(name, upstream, { providerId }));
  }
  const { id: routingPolicyId } = await tenant.create('routing-policies', {
    name: 'spread',
    strategy,
    candidates: modelIds.map((modelId, at) => ({ modelId, weight: WEIGHTS[at] })),
  });
  const { key } = await tenant.key({ modelIds, routingPolicyId });
  const accounts = CANDIDATES.flatMap((name) => KEYS.map((one) => accountOf(name, one)));
  const bill = async (): Promise<ReadonlyMap<string, Billed>> => {
    const answer = await fetch(`${gateway.simulatorUrl}/_sim/bill?model=${upstream}`);
    const { apiKeys } = (await answer.json()) as { apiKeys: Record<string, Billed> };
    return new Map(
      accounts.flatMap((name) => {
        const billed = apiKeys[name];
        return billed === undefined ? [] : [[name, billed] as const];
      }),
    );
  };
  return { tenant, key, doors, bill };
}

export interface Turn {
  readonly conversation: number;
  readonly turn: number;
  /** The candidate that answered. */
  readonly model: string;
  /** Tokens that were read from the cache, and that it had held if all turns had gone to one place. */
  readonly cached: number;
  readonly possible: number;
}

interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

interface Conversation {
  readonly messages: Message[];
  readonly headers: Record<string, string>;
  promptTokens: number;
}

export interface Talks {
  /** Sends one turn of every conversation, through the edges in turn. */
  readonly next: () => Promise<Turn[]>;
  readonly stop: () => Promise<void>;
}

const WORDS = 'Rules of the house that each of its guests reads again before a meal. ';

/** Half of the conversations name their session, as coding agents do; the others are known by their text. */
export function startTalks(
  urls: readonly string[],
  key: string,
  { conversations, atOnce }: { conversations: number; atOnce: number },
): Talks {
  const agent = new Agent({ connections: atOnce, pipelining: 1 });
  const talks = Array.from({ length: conversations }, (_, n): Conversation => ({
    messages: [{ role: 'system', content: `House ${String(n)}. ${WORDS.repeat(66)}` }],
    headers: n % 2 === 0 ? { 'x-claude-code-session-id': `session-${String(n)}` } : {},
    promptTokens: 0,
  }));
  let turn = 0;

  const say = async (talk: Conversation, conversation: number): Promise<Turn> => {
    talk.messages.push({ role: 'user', content: `Turn ${String(turn)}: ${WORDS.repeat(5)}` });
    const url = urls[(conversation + turn) % urls.length] ?? '';
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...talk.headers,
      },
      body: JSON.stringify({ model: 'spread', messages: talk.messages, max_tokens: 100 }),
      dispatcher: agent,
    });
    const body = (await answer.json()) as Answer;
    if (answer.status !== 200) throw new Error(`${String(answer.status)} ${JSON.stringify(body)}`);
    const { cached_tokens: cached, prompt_tokens: prompt } = usageIn(body);
    const possible = talk.promptTokens - (talk.promptTokens % STEP_TOKENS);
    talk.promptTokens = prompt;
    talk.messages.push({ role: 'assistant', content: body.choices[0]?.message.content ?? '' });
    const model = answer.headers.get('x-tollgate-model') ?? '';
    return { conversation, turn, model, cached, possible };
  };

  return {
    async next() {
      const turns: Turn[] = [];
      let begun = 0;
      const caller = async (): Promise<void> => {
        while (begun < talks.length) {
          const n = begun;
          begun += 1;
          const talk = talks[n];
          if (talk !== undefined) turns.push(await say(talk, n));
        }
      };
      await Promise.all(Array.from({ length: atOnce }, caller));
      turn += 1;
      return turns;
    },
    stop: () => agent.destroy(),
  };
}

interface Answer {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly usage: Readonly<Record<string, unknown>>;
}

function usageIn({ usage }: Answer) {
  const details = usage['prompt_tokens_details'] as { cached_tokens?: number } | undefined;
  return {
    prompt_tokens: Number(usage['prompt_tokens']),
    cached_tokens: details?.cached_tokens ?? 0,
  };
}

export interface Warmth {
  readonly turns: number;
  /** Turns that read all that an earlier turn had put into a cache. */
  readonly warm: number;
  readonly cachedTokens: number;
  readonly possibleTokens: number;
}

/** First turns find no cache, whatever is done, and are not counted. */
export function warmthOf(turns: readonly Turn[]): Warmth {
  const later = turns.filter(({ turn }) => turn > 0);
  return {
    turns: later.length,
    warm: later.filter(({ cached, possible }) => cached >= possible).length,
    cachedTokens: later.reduce((sum, { cached }) => sum + cached, 0),
    possibleTokens: later.reduce((sum, { possible }) => sum + possible, 0),
  };
}

/**
 * Waits until the candidate answers a new conversation: those have their place at it, whatever the strategy, while
 * other requests of the lowest latency may find another one a little quicker.
 */
export function recovered(url: string, { key }: House, candidate: string): Promise<true> {
  let tries = 0;
  return eventually(`${candidate} answers again`, async () => {
    tries += 1;
    const session = { 'x-claude-code-session-id': `recovers-${String(tries)}` };
    const asked = chat(url, key, { model: 'spread', max_tokens: 1 }, session);
    const { headers } = expectStatus(await asked, 200);
    return headers['x-tollgate-model'] === candidate ? true : undefined;
  });
}
