import { emptyUsage } from '@tollgate/contracts';
import fc from 'fast-check';

import { sizeOf, stepCost } from '../decide';
import { modelsOf, planOf, type ModelPlan } from '../directory';
import { candidateModel } from '../routing/test-support/policies';
import { ask, context, limit, price, settled } from '../test-support/contexts';
import { closeOf } from './closing';
import { countedLimits, heldLimits } from './counters';
import { grown } from './extend';
import { ticketOf } from './offer';
import type { Ticket } from './ticket';

// Whatever attempts a request makes and whichever answers: no limit is charged more than the
// request holds of it, as long as no attempt uses more than was held for it.

const NOW = 1_700_000_000_000;
const MODELS = ['m0', 'm1', 'm2', 'm3'];

const KINDS = [
  { kind: 'BUDGET', metric: 'COST' },
  { kind: 'QUOTA', metric: 'COST' },
  { kind: 'QUOTA', metric: 'REQUESTS' },
  { kind: 'QUOTA', metric: 'TOKENS' },
  { kind: 'QUOTA', metric: 'TOKENS_IN' },
  { kind: 'QUOTA', metric: 'TOKENS_OUT' },
  { kind: 'RATE_REQUESTS', metric: '', period: '' },
  { kind: 'RATE_TOKENS', metric: '', period: '' },
];
const LIMITS = KINDS.flatMap((of, n) =>
  ['', ...MODELS].map((scopeId) =>
    limit({
      limitId: `l${String(n)}-${scopeId}`,
      ...of,
      ...(scopeId === '' ? {} : { scopeType: 'MODEL', scopeId }),
    }),
  ),
);

const cases = fc.record({
  stream: fc.boolean(),
  inputTokens: fc.nat(3_000),
  choices: fc.constantFrom(1, 1, 3),
  /** In the order of trying. */
  candidates: fc.array(
    fc.record({
      usdPerToken: fc.constantFrom(0, 1, 2, 9),
      maxOutput: fc.constantFrom(1, 50, 2_000),
      fate: fc.constantFrom('nothing', 'billed', 'billed', 'beside'),
      /** Hundredths of its bound. */
      takes: fc.constantFrom(0, 30, 100, 100),
    }),
    { minLength: 1, maxLength: MODELS.length },
  ),
  winner: fc.nat(MODELS.length - 1),
  /** Steps of the answering attempt, in output tokens. */
  steps: fc.array(fc.integer({ min: 1, max: 1_024 }), { maxLength: 2 }),
});
type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

function begin({ candidates, choices, inputTokens, stream }: Case) {
  const models = candidates.map(({ maxOutput, usdPerToken }, n) => {
    const output = String(usdPerToken * 1_000_000_000);
    const step = { ...price().steps[0], input: output, output };
    return candidateModel(n, {
      defaultMaxOutputTokens: maxOutput,
      prices: [price({ steps: [step as never] })],
    });
  });
  const plan = planOf(context({ models, limits: LIMITS }));
  const request = ask({
    stream,
    choices,
    inputTokensEstimate: inputTokens,
    maxOutputTokens: 0,
  });
  const size = sizeOf(
    request,
    modelsOf(plan).map((model: ModelPlan) => ({
      model,
      price: model.prices[0],
      connectionVersion: 1,
    })),
  );
  const counted = countedLimits(size.candidates);
  const limits = heldLimits(counted, size, NOW, 'UTC');
  const offer = {
    request,
    plan,
    size,
    clamped: false,
    limits,
    choice: undefined,
    attribution: null,
  };
  return { size, ticket: ticketOf(offer) };
}

/** Attempts like an edge's, and what is held and charged in the end. */
function run(one: Case): { held: Ticket; spent: ReadonlyMap<string, bigint>; raised: number } {
  const { size, ticket } = begin(one);
  const step = { addInputTokens: 0, addOutputTokens: 0, addNanoUsd: '' };
  let held = ticket;
  let raised = 0;
  let due = false;
  const made = size.candidates.map((sized, n) => {
    const { fate = 'nothing', takes = 0, usdPerToken = 0 } = one.candidates[n] ?? {};
    const { modelId } = sized.model;
    if (n > 0 && (due || fate === 'beside')) {
      due = true;
      raised += 1;
      held = grown(
        held,
        {
          modelId,
          addInputTokens: size.inputTokens,
          addOutputTokens: sized.heldOutputTokens,
          addNanoUsd: sized.costNanoUsd.toString(),
        },
        0n,
      );
    }
    due ||= fate !== 'nothing';
    const part = fate === 'nothing' ? 0 : takes;
    const input = Math.floor((size.inputTokens * part) / 100);
    const output = Math.floor((sized.heldOutputTokens * size.choices * part) / 100);
    return { modelId, input, output, price: BigInt(usdPerToken * 1_000_000_000) };
  });
  // An attempt without usage answers only if none has any.
  const asked = made.filter((_, n) => one.candidates[n]?.fate !== 'nothing');
  const able = asked.length > 0 ? asked : made;
  const answering = able[one.winner % able.length];
  if (answering === undefined) throw new Error('a request has an attempt');
  for (const addOutputTokens of one.steps) {
    const request = { ...step, addOutputTokens, modelId: answering.modelId };
    held = grown(held, request, answering.price);
    answering.output += addOutputTokens * size.choices;
  }
  const usageOf = ({ input, output }: { input: number; output: number }) => ({
    ...emptyUsage(),
    input,
    output,
  });
  const cost = made.reduce(
    (sum, { input, output, price: each }) => sum + stepCost(input, each) + stepCost(output, each),
    0n,
  );
  const { counters } = closeOf({
    mode: 'SETTLED',
    requestId: 'r',
    ticket: held,
    authorisedAtMs: NOW,
    leaseUntilMs: NOW,
    settle: settled('r', Buffer.alloc(0), {
      modelId: answering.modelId,
      costNanoUsd: cost.toString(),
      usage: usageOf({
        input: made.reduce((sum, { input }) => sum + input, 0),
        output: made.reduce((sum, { output }) => sum + output, 0),
      }),
      attempts: made.map((attempt) => ({
        modelId: attempt.modelId,
        usage: usageOf(attempt),
      })) as never,
    }),
  });
  return { held, raised, spent: new Map(counters.map(({ limitId, spent }) => [limitId, spent])) };
}

test('no limit is charged more than is held of it, whichever attempt answers', () => {
  const seen = { raised: 0, full: 0 };
  fc.assert(
    fc.property(cases, (one) => {
      const { held, raised, spent } = run(one);
      if (raised > 0) seen.raised += 1;
      for (const { limitId, held: most } of held.limits) {
        const charged = spent.get(limitId) ?? 0n;
        if (raised > 0 && charged > 0n && charged === most) seen.full += 1;
        if (charged > most) throw new Error(`${limitId}: ${String(charged)} of ${String(most)}`);
      }
    }),
    { numRuns: 3_000 },
  );
  // The bounds are reached, so none of them is wider than needed everywhere.
  for (const times of Object.values(seen)) expect(times).toBeGreaterThan(100);
});
