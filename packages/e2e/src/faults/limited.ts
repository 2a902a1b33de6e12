import { chat, eventually, expectStatus, newTenant } from '../gateway/tenant';
import type { World } from './world';

/** What is held for an answer until its tokens are known. */
export const MAX_TOKENS = 90;

export const question = (maxTokens: number): object => ({
  model: 'chat',
  max_tokens: maxTokens,
  messages: [{ role: 'user', content: 'Hello there' }],
});

export interface Limited {
  readonly key: string;
  readonly keyId: string;
  /** What one answer comes to. */
  readonly tokensEach: number;
}

/** A tenant with a key that a rate limit binds, known to every policy and not used yet. */
export async function limited(
  world: World,
  urls: readonly string[],
  upstreamModel: string,
  limit: object,
): Promise<Limited> {
  const tenant = await newTenant(world, { upstreamModel });
  // One request that the limit does not count, so that nothing is new to Redis afterwards.
  const first = await tenant.key();
  // What was away in the scenario before may still refuse for a moment.
  const served = async (url: string, key: string, asked: object) => {
    const answer = await chat(url, key, asked);
    return answer.status === 503 ? undefined : answer;
  };
  const answer = await eventually('a first request is decided', () =>
    served(urls[0] ?? '', first.key, question(MAX_TOKENS)),
  );
  expectStatus(answer, 200);
  const { key, id } = await tenant.key();
  await tenant.create('rate-limits', { scope: { type: 'API_KEY', id }, ...limit });
  // Refused, but not by the limit: every policy knows the key before the first request counts.
  for (const url of [...urls, ...urls]) {
    await eventually('every policy knows the key', () => served(url, key, { model: 'another' }));
  }
  const { usage } = answer.data as { usage: { total_tokens: number } };
  return { key, keyId: id, tokensEach: usage.total_tokens };
}
