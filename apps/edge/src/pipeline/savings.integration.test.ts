// What a settle says of what the provider's caches and routing saved. The sums are computed by hand.

import { completion, errorAnswer, type Script } from '../test-support/fake-upstream';
import { candidate, chat, routed, startHarness, type Harness } from '../test-support/harness';

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

/** Nano-USD per million tokens: input, cached input and output. */
const priced = (priceId: string, input: string, cacheRead: string, output: string) => ({
  priceId,
  steps: [{ fromInputTokens: 0, input, cacheRead, output }],
});
const DEAR = priced('dear', '4000000000', '1000000000', '8000000000');
const CHEAP = priced('cheap', '1000000000', '100000000', '2000000000');
const dear = candidate({ upstreamModel: 'dear', modelId: 'model-dear', price: DEAR });
const cheap = candidate({ upstreamModel: 'cheap', modelId: 'model-cheap', price: CHEAP });

/** 1,000 tokens of input, of which 600 are cached, and 50 of output. */
const USAGE = {
  prompt_tokens: 1_000,
  prompt_tokens_details: { cached_tokens: 600 },
  completion_tokens: 50,
  total_tokens: 1_050,
};

async function settledOf(
  reply: ReturnType<typeof routed>,
  scripts: Record<string, Script> = {},
): Promise<Awaited<ReturnType<Harness['settled']>>> {
  h.policy.decide = () => reply;
  h.upstream.script = (res, received) => {
    const script = scripts[String(received.body['model'])];
    return script ? script(res, received) : completion(res, { usage: USAGE });
  };
  await (await h.post('/v1/chat/completions', chat())).text();
  return h.settled();
}

const POLICY = { policyId: '01990000-0000-7000-8000-00000000000b', firstModelId: 'model-dear' };

test('an answer of another model is compared with the first choice, with the same tokens', async () => {
  const settle = await settledOf(routed([cheap, dear], POLICY));
  // 400 × 1 + 600 × 0.1 + 50 × 2 millionths of a dollar, and 400 × 4 + 600 × 1 + 50 × 8.
  expect(settle).toMatchObject({
    costNanoUsd: '560000',
    firstChoiceCostNanoUsd: '2600000',
    routingPolicyId: POLICY.policyId,
  });
  // All 1,000 as plain input.
  expect(settle.attempts).toMatchObject([
    { costNanoUsd: '560000', uncachedCostNanoUsd: '1100000' },
  ]);
});

test('a first choice that is not among the candidates has its price from the policy', async () => {
  const settle = await settledOf(routed([cheap], { ...POLICY, firstPrice: DEAR }));
  expect(settle.firstChoiceCostNanoUsd).toBe('2600000');
});

test('the first choice itself saves nothing', async () => {
  const settle = await settledOf(routed([dear, cheap], POLICY));
  expect(settle).toMatchObject({ costNanoUsd: '2600000', firstChoiceCostNanoUsd: '2600000' });
});

test('failover to a dearer model costs, and the failed attempt is not compared', async () => {
  const first = { ...POLICY, firstModelId: 'model-cheap' };
  const settle = await settledOf(routed([cheap, dear], first), {
    cheap: (res) => errorAnswer(res, 503),
  });
  expect(settle).toMatchObject({ costNanoUsd: '2600000', firstChoiceCostNanoUsd: '560000' });
});

test('it is unknown without an answer, without the price of the first choice, and without routing', async () => {
  const fails: Script = (res) => errorAnswer(res, 503);
  const failed = await settledOf(routed([cheap, dear], POLICY), { cheap: fails, dear: fails });
  expect(failed).toMatchObject({ firstChoiceCostNanoUsd: '', routingPolicyId: POLICY.policyId });
  await h.reset();
  const unpriced = await settledOf(routed([cheap], POLICY));
  expect(unpriced.firstChoiceCostNanoUsd).toBe('');
  await h.reset();
  const unrouted = await settledOf({ allow: { candidates: [cheap], limits: [] } } as never);
  expect(unrouted).toMatchObject({ firstChoiceCostNanoUsd: '', routingPolicyId: '' });
});

test('without cached tokens nothing is said of caches', async () => {
  const settle = await settledOf(routed([cheap], POLICY), {
    cheap: (res) => completion(res, {}),
  });
  expect(settle.attempts).toMatchObject([{ uncachedCostNanoUsd: '' }]);
});
