import fc from 'fast-check';

import type { Allow, SharedPart } from './generated';
import { codecs } from './generated/codecs';
import { createKnownParts, createSharedParts } from './shared-parts';

// What one side names and the other fills in is what was meant, frame after frame.

const { encode, decode } = codecs.SessionReply;

const word = fc.constantFrom('', 'a', 'b', 'longer than most');
const id = fc.constantFrom('1', '2', '3');
const count = fc.nat(3);
const PRICES = ['p1', 'p2'].map((priceId) => ({
  priceId,
  steps: [{ fromInputTokens: 0, input: '5', output: '7' }],
  perUnitNanoUsd: { image: '3' },
}));
const candidate = fc.record({
  modelId: id,
  modelName: word,
  upstreamModel: word,
  modelType: word,
  providerId: word,
  providerType: word,
  providerLabel: word,
  upstreamFormat: word,
  connectionVersion: count,
  price: fc.constantFrom(null, ...PRICES),
  contextTokens: count,
  defaultMaxOutputTokens: count,
  maxOutputTokens: count,
  outputInSteps: fc.boolean(),
  heldOutputTokens: count,
  estimateNanoUsd: word,
  timeouts: fc.constantFrom(null, { attemptMs: 5 }),
  probe: fc.boolean(),
  maxToolCalls: count,
  outputBoundUnsent: fc.boolean(),
  nativeResponses: fc.boolean(),
  region: fc.constantFrom('', 'eu', 'us'),
  outputStepTokens: count,
});
const limit = fc.record({
  limitId: id,
  kind: word,
  metric: word,
  scopeType: word,
  scopeId: word,
  limit: word,
  settled: word,
  held: word,
  resetsAtMs: count,
  mode: word,
  period: word,
  windowSeconds: count,
  remaining: word,
});
const allow: fc.Arbitrary<Allow> = fc.record({
  holdToken: fc.constant(Buffer.from('token')),
  leaseUntilMs: count,
  subject: fc.option(
    fc.record({
      organisationId: word,
      teamId: word,
      userId: word,
      apiKeyId: id,
      apiKeyName: word,
      apiKeyType: word,
      organisationSlug: word,
    }),
    { nil: null },
  ),
  candidates: fc.array(candidate, { maxLength: 3 }),
  limits: fc.array(limit, { maxLength: 4 }),
  softExceeded: fc.array(word, { maxLength: 2 }),
  heldNanoUsd: word,
  clamped: fc.boolean(),
  routing: fc.constantFrom(null, { policyId: 'r', triggers: ['5xx'] }),
  pending: fc.constant(null),
  tellUpstreamModel: fc.boolean(),
  traceContent: fc.boolean(),
  leaseMs: count,
  readTokens: count,
  mcp: fc.constant(null),
  screening: fc.constantFrom([], [{ policyId: 's', version: 2 }]),
  attribution: fc.option(
    fc.record({
      endUser: word,
      session: word,
      tags: word,
      ignoredTags: fc.array(word, { maxLength: 2 }),
    }),
    { nil: null },
  ),
});

function pair(partsMax?: number) {
  const shared = createSharedParts(partsMax);
  const known = createKnownParts();
  let named = 0;
  const send = (allows: readonly Allow[]) => {
    const made: SharedPart[] = [];
    const sharedCleared = shared.begin();
    const results = allows.map((one) => ({ authorize: { allow: shared.name(one, made) } }));
    named += made.length;
    const frame = decode(encode({ results, shared: made, sharedCleared }));
    known.take(frame);
    return frame.results.map(({ authorize }) => {
      const filled = authorize?.allow;
      if (!filled) throw new Error('no allow arrived');
      known.fill(filled);
      return filled;
    });
  };
  return { send, known, named: () => named };
}

/** As a caller reads it that keeps no parts. */
const whole = (one: Allow) => {
  const [result] = decode(encode({ results: [{ authorize: { allow: one } }] })).results;
  return result?.authorize?.allow;
};

// The ids are of no interest afterwards.
const withoutIds = (one: object | null | undefined): unknown =>
  JSON.parse(JSON.stringify(one, (key, value) => (/^(sharedId|subjectId)$/.test(key) ? 0 : value)));

test('every allow arrives as it was, whatever came before it, also after a new beginning', () => {
  const frames = fc.array(fc.array(allow, { maxLength: 3 }), { maxLength: 8 });
  fc.assert(
    fc.property(frames, fc.constantFrom(undefined, 2, 8), (sent, partsMax) => {
      const { send } = pair(partsMax);
      for (const allows of sent) {
        expect(send(allows).map(withoutIds)).toEqual(allows.map(whole).map(withoutIds));
      }
    }),
  );
});

const one: Allow = {
  subject: { apiKeyId: 'k' },
  candidates: [{ modelId: 'm', modelName: 'a', heldOutputTokens: 5 }],
  limits: [{ limitId: 'l', limit: '10', settled: '3' }],
};

test('what is the same is sent once, and what has changed is sent again', () => {
  const { send, named } = pair();
  send([one, one]);
  send([{ ...one, candidates: [{ modelId: 'm', modelName: 'a', heldOutputTokens: 9 }] }]);
  expect(named()).toBe(3);
  const [raised] = send([{ ...one, limits: [{ limitId: 'l', limit: '20', settled: '3' }] }]);
  expect(named()).toBe(4);
  expect(raised?.limits[0]).toMatchObject({ limitId: 'l', limit: '20', settled: '3' });
});

test('a frame with very many parts is sent whole from some point on', () => {
  const { send, named } = pair(2);
  const allows = Array.from({ length: 20 }, (_, i) => ({ subject: { apiKeyId: String(i) } }));
  expect(send(allows).map(({ subject }) => subject?.apiKeyId)).toEqual(
    allows.map(({ subject }) => subject.apiKeyId),
  );
  expect(named()).toBe(8);
});

test('an id that names nothing is an error, and so are more parts than a session may have', () => {
  const { known } = pair();
  const [unknown] = decode(
    encode({ results: [{ authorize: { allow: { subjectId: 7 } } }] }),
  ).results;
  const named = unknown?.authorize?.allow;
  expect(named && (() => known.fill(named))).toThrow('shared part 7');
  const shared = Array.from({ length: 65_537 }, (_, i) => ({ id: i + 1, subject: {} }));
  expect(() => known.take(decode(encode({ shared })))).toThrow('too many');
});
