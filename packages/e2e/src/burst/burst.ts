import { Agent, fetch } from 'undici';

// Many concurrent calls, each on its own connection, with their results.

export interface Burst {
  readonly calls: number;
  readonly atOnce: number;
}

export interface Reply {
  readonly status: number;
  /** The gateway's error code with the dependency that it names; empty for an answer. */
  readonly code: string;
  readonly retryAfter: string | null;
  readonly ms: number;
}

export interface BurstResult {
  readonly replies: readonly Reply[];
  /** The duration of each health check that ran in parallel. */
  readonly healthMs: readonly number[];
  readonly seconds: number;
}

interface ErrorBody {
  readonly error?: { readonly code?: string; readonly details?: { readonly dependency?: string } };
}

const HEALTH_EVERY_MS = 100;
const BODY = JSON.stringify({
  model: 'chat',
  messages: [{ role: 'user', content: 'Hello there' }],
});

/** Makes the calls, at most `atOnce` concurrently, with the keys in turn. */
export async function runBurst(
  url: string,
  keys: readonly string[],
  { calls, atOnce }: Burst,
): Promise<BurstResult> {
  const agent = new Agent({ connections: atOnce, pipelining: 1 });
  const replies: Reply[] = [];
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < calls) {
      const key = keys[next % keys.length] ?? '';
      next += 1;
      replies.push(await call(agent, url, key));
    }
  };
  const health = watchHealth(url);
  const startedMs = performance.now();
  try {
    await Promise.all(Array.from({ length: atOnce }, caller));
    const seconds = (performance.now() - startedMs) / 1_000;
    return { replies, healthMs: await health.stop(), seconds };
  } finally {
    await health.stop();
    await agent.destroy();
  }
}

async function call(dispatcher: Agent, url: string, key: string): Promise<Reply> {
  const startedMs = performance.now();
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: BODY,
    dispatcher,
  });
  const body = (await answer.json()) as ErrorBody;
  const { code = '', details } = body.error ?? {};
  return {
    status: answer.status,
    code: details?.dependency === undefined ? code : `${code} ${details.dependency}`,
    retryAfter: answer.headers.get('retry-after'),
    ms: performance.now() - startedMs,
  };
}

function watchHealth(url: string): { stop: () => Promise<number[]> } {
  const agent = new Agent({ connections: 1 });
  const times: number[] = [];
  const ending = new AbortController();
  const watch = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const startedMs = performance.now();
      const answer = await fetch(`${url}/v1/health`, { dispatcher: agent });
      await answer.arrayBuffer();
      times.push(performance.now() - startedMs);
      await new Promise((resolve) => setTimeout(resolve, HEALTH_EVERY_MS));
    }
  };
  const watching = watch();
  return {
    stop: async () => {
      ending.abort();
      await watching;
      await agent.destroy();
      return times;
    },
  };
}

/** The number of replies by status and code. */
export function countsOf(replies: readonly Reply[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, code } of replies) {
    const name = `${String(status)} ${code}`.trim();
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
