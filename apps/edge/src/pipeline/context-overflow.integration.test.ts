// A prompt that is longer than the model's context: every client reads it in the words that it looks for,
// whatever the upstream's words are.

import type { Candidate } from '@tollgate/contracts/node';
import { startSimulator, type Simulator } from '@tollgate/simulator';

import { CORPUS_CLIENTS } from '../test-support/corpus';
import { connection } from '../test-support/fake-catalog';
import { allow, candidate, startHarness, type Harness } from '../test-support/harness';

const UPSTREAMS: Readonly<Record<string, { over: Candidate; root: string }>> = {
  openai: { over: { upstreamFormat: 'openai' }, root: '/v1' },
  vllm: { over: { upstreamFormat: 'vllm', providerType: 'PROVIDER_D' }, root: '/v1' },
  anthropic: { over: { upstreamFormat: 'anthropic', providerType: 'PROVIDER_B' }, root: '/v1' },
  gemini: { over: { upstreamFormat: 'gemini', providerType: 'PROVIDER_C' }, root: '/v1beta' },
};

const { anthropic, chat, gemini, responses, unified } = CORPUS_CLIENTS;
/** What tells each client of an overflow. */
const WORDS = [
  [chat, '"code":"context_length_exceeded"'],
  [responses, '"code":"context_length_exceeded"'],
  [anthropic, 'prompt is too long'],
  [gemini, 'exceeds the maximum number of tokens'],
  [unified, '"code":"upstream_rejected"'],
] as const;

let simulator: Simulator;
let h: Harness;
beforeAll(async () => {
  simulator = await startSimulator();
  h = await startHarness();
  for (const [providerId, { over, root }] of Object.entries(UPSTREAMS)) {
    const { upstreamFormat = '', providerType = 'PROVIDER_A' } = over;
    const material = { providerId, upstreamFormat, providerType, baseUrl: simulator.url + root };
    h.catalog.connections.set(`${providerId}:1`, connection(material));
  }
  h.policy.decide = ({ model }) => {
    const { over } = UPSTREAMS[model] ?? {};
    const upstreamModel = model === 'vllm' ? 'sim-too-long.vllm' : 'sim-too-long';
    return allow([candidate({ ...over, providerId: model, modelId: model, upstreamModel })]);
  };
});
afterAll(async () => {
  await h.stop();
  await simulator.stop();
});

const CASES = Object.keys(UPSTREAMS).flatMap((upstream) =>
  WORDS.flatMap(([client, words]) =>
    [false, true].map((stream) => [client.name, upstream, stream, client, words] as const),
  ),
);

test.each(CASES)('%s from %s, streamed: %s', async (_, upstream, stream, client, words) => {
  const answer = await h.post(client.path(upstream, stream), client.body(upstream, stream));
  const text = await answer.text();
  expect(text).toContain(vendorsOwn(client.name, upstream) ? 'maximum context length' : words);
  // A responses stream of the vendor has begun before it fails.
  const begun = answer.status === 200;
  expect(begun).toBe(stream && client === responses && upstream === 'openai');
  if (!begun) {
    expect(answer.headers.get('x-tollgate-error-code')).toBe('upstream_rejected');
    expect(answer.headers.get('x-should-retry')).toBe(
      isTranslated(client.name, upstream) ? 'false' : null,
    );
  } else expect(client.stream(text)).toMatchObject({ complete: false });
});

const FAMILIES: Readonly<Record<string, string>> = {
  'openai-chat': 'openai vllm',
  'openai-responses': 'openai vllm',
  'anthropic-messages': 'anthropic',
  'gemini-generate': 'gemini',
};

function isTranslated(client: string, upstream: string): boolean {
  return FAMILIES[client]?.split(' ').includes(upstream) !== true;
}

/** A refusal in the shape of the client's vendor passes unchanged, also one of a server that only has its shape. */
function vendorsOwn(client: string, upstream: string): boolean {
  return upstream === 'vllm' && !isTranslated(client, upstream);
}
