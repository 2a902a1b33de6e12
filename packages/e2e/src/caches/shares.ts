import { Agent, fetch } from 'undici';

import { CANDIDATES, WEIGHTS } from './conversations';

// How conversations are shared between candidates that are all up. One short turn of each is enough, because a
// conversation that names its session has a place however short its prompt is.

/** By candidate, as parts of one. */
export type Shares = readonly number[];

/**
 * What a strategy promises: `weighted` its weights, the others an even split. With `lowest_latency` a share is
 * that of one of the candidates that are about as quick as the quickest, and here all of them are.
 */
export function expectedShares(strategy: string): Shares {
  const weights = strategy === 'weighted' ? WEIGHTS : CANDIDATES.map(() => 1);
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** The largest distance from what is expected, in points of a per cent. */
export function farthest(found: Shares, expected: Shares): number {
  return Math.max(...expected.map((part, at) => Math.abs((found[at] ?? 0) - part) * 100));
}

interface Counted {
  readonly conversations: number;
  readonly atOnce: number;
}

/** Begins this many conversations, through the edges in turn, and counts where they go. */
export async function countShares(
  urls: readonly string[],
  key: string,
  { conversations, atOnce }: Counted,
): Promise<Shares> {
  const agent = new Agent({ connections: atOnce, pipelining: 1 });
  const counts = new Map<string, number>();
  let begun = 0;
  const begin = async (n: number): Promise<void> => {
    const answer = await fetch(`${urls[n % urls.length] ?? ''}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-claude-code-session-id': `share-${String(n)}`,
      },
      body: JSON.stringify({
        model: 'spread',
        messages: [{ role: 'user', content: 'Hello.' }],
        max_tokens: 1,
      }),
      dispatcher: agent,
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${String(answer.status)} ${text}`);
    const model = answer.headers.get('x-tollgate-model') ?? '';
    counts.set(model, (counts.get(model) ?? 0) + 1);
  };
  const caller = async (): Promise<void> => {
    while (begun < conversations) {
      begun += 1;
      await begin(begun);
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, caller));
  } finally {
    await agent.destroy();
  }
  return CANDIDATES.map((name) => (counts.get(name) ?? 0) / conversations);
}
