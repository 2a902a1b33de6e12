import { chat, eventually, expectStatus, newTenant } from '../gateway/tenant';
import type { World } from './world';

/** The tokens held for an answer until its usage is known. */
export const MAX_TOKENS = 90;

export const question = (maxTokens: number): object => ({
  model: 'chat',
  max_tokens: maxTokens,
  messages: [{ role: 'user', content: 'Hello there' }],
});

export interface Limited {
  readonly key: string;
  readonly keyId: string;
  /** The tokens of one answer. */
  readonly tokensEach: number;
}

/** A tenant whose key has a rate limit, known to every policy and unused so far. */
export async function limited(
  world: World,
  urls: readonly string[],
  upstreamModel: string,
  limit: object,
): Promise<Limited> {
  const tenant = await newTenant(world, { upstreamModel });
  // One request outside of the limit, so that Redis knows everything before the test.
  const first = await tenant.key();
  // The dependency that failed in the previous scenario may refuse for a moment.
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
  // A refusal by another check makes the key known to every policy without counting.
  for (const url of [...urls, ...urls]) {
    await eventually('every policy knows the key', () => served(url, key, { model: 'another' }));
  }
  const { usage } = answer.data as { usage: { total_tokens: number } };
  return { key, keyId: id, tokensEach: usage.total_tokens };
}
