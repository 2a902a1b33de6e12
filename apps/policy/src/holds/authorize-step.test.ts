import { sizeOf } from '../decide';
import { modelsOf, planOf } from '../directory';
import { candidateModel } from '../routing/test-support/policies';
import type { AuthorizeOutcome } from '../store';
import { ask, context, limit } from '../test-support/contexts';
import { nextAction, storeTimeIn, type AskedHold } from './authorize-step';
import { countedLimits, heldLimits } from './counters';

const NOW = 1_700_000_000_000;

type Denied = AuthorizeOutcome & { kind: 'DENY' };

const denied = (over: Partial<Denied> = {}): Denied => ({
  kind: 'DENY',
  nowMs: NOW,
  limitIds: ['budget'],
  softExceeded: [],
  coldLimitIds: [],
  states: [{ limitId: 'budget', settled: 0n, held: 0n, freeAtMs: 0, retryAtMs: 0 }],
  ...over,
});

/** A request of 100 input tokens; one costs 1,000 nano-USD, one of output 2,000. */
function asked({
  bounds = [500],
  clamp = false,
  budget = '1',
  deniedBefore = false,
  operation = 'chat',
}): AskedHold {
  const models = bounds.map((defaultMaxOutputTokens, n) =>
    candidateModel(n, { defaultMaxOutputTokens }),
  );
  const limits = [limit({ limitId: 'budget', limit: budget, clamp })];
  const plan = planOf(context({ models, limits }));
  const candidates = modelsOf(plan).map((model) => ({
    model,
    price: model.prices[0],
    connectionVersion: 1,
  }));
  const request = ask({ maxOutputTokens: 0, operation });
  const size = sizeOf(request, candidates);
  const counted = countedLimits(size.candidates);
  const held = heldLimits(counted, size, NOW, 'UTC');
  return { request, plan, size, counted, limits: held, choice: undefined, deniedBefore };
}

test('a hold that was taken is allowed', () => {
  const outcome: AuthorizeOutcome = {
    kind: 'ALLOW',
    nowMs: NOW,
    leaseUntilMs: NOW,
    ticketText: 't',
    already: false,
    states: [],
    softExceeded: [],
  };
  expect(nextAction(asked({}), outcome)).toEqual({ kind: 'ALLOW', outcome });
});

test('a refusal by a limit that cannot be lowered for is the answer', () => {
  const action = nextAction(asked({}), denied());
  expect(action).toMatchObject({
    kind: 'DENY',
    reply: { denial: { code: 'budget_exceeded', limitId: 'budget' } },
  });
});

test('the denial says what the request would have held, and that its output is assumed', () => {
  const action = nextAction(asked({}), denied());
  if (action.kind !== 'DENY') throw new Error(action.kind);
  const { denial } = action.reply;
  expect(JSON.parse(denial?.detailsJson ?? '')).toMatchObject({
    need: { inputTokens: 100, outputTokens: 500, outputBound: 'ASSUMED' },
  });
  expect(denial?.message).toContain(
    'for 100 input tokens and up to 500 output tokens. It sets no limit of its output',
  );
});

test('a budget that clamps lowers the output bound to what it affords', () => {
  const action = nextAction(asked({ clamp: true, budget: '200000' }), denied());
  expect(action).toMatchObject({ kind: 'RESIZE', clamped: true, size: { heldOutputTokens: 50 } });
});

test.each(['speech', 'transcription', 'image_generation', 'response_compact'])(
  'no budget lowers the output of %s, whose bound is sent to nobody',
  (operation) => {
    const action = nextAction(asked({ clamp: true, budget: '200000', operation }), denied());
    expect(action).toMatchObject({ kind: 'DENY', reply: { denial: { code: 'budget_exceeded' } } });
  },
);

test('a dry run clamps to what is left once floats have given back', () => {
  const [state] = denied().states;
  if (state === undefined) throw new Error('no state');
  const states = [{ ...state, held: 150_000n, lent: 150_000n }];
  const action = nextAction(asked({ clamp: true, budget: '200000' }), denied({ states }));
  expect(action).toMatchObject({ kind: 'RESIZE', clamped: true, size: { heldOutputTokens: 50 } });
});

test('of several candidates those that fit are kept, and none is clamped', () => {
  const action = nextAction(asked({ bounds: [500, 40], clamp: true, budget: '200000' }), denied());
  expect(action).toMatchObject({ kind: 'RESIZE', clamped: false, size: { heldOutputTokens: 40 } });
});

test('cold counters of a refusal are seeded before it is told, but only once', () => {
  const outcome = denied({ coldLimitIds: ['other'] });
  expect(nextAction(asked({}), outcome)).toEqual({
    kind: 'SEED',
    limitIds: ['other'],
    required: false,
  });
  expect(nextAction(asked({ deniedBefore: true }), outcome)).toMatchObject({ kind: 'DENY' });
});

test('a hold that needs cold counters cannot go on without them', () => {
  const action = nextAction(asked({}), { kind: 'COLD', limitIds: ['budget'] });
  expect(action).toEqual({ kind: 'SEED', limitIds: ['budget'], required: true });
});

test('a window that has ended is computed again, and an epoch is followed', () => {
  expect(nextAction(asked({}), { kind: 'CLOCK', nowMs: NOW })).toEqual({ kind: 'ASK_AGAIN' });
  const epoch: AuthorizeOutcome = { kind: 'EPOCH', lost: false, epoch: 4 };
  expect(nextAction(asked({}), epoch)).toEqual({ kind: 'FOLLOW_EPOCH', outcome: epoch });
});

test.each<[AuthorizeOutcome, string, string | undefined]>([
  [{ kind: 'CLOSED', untilMs: NOW, nowMs: NOW }, 'UNAVAILABLE', 'redis'],
  [{ kind: 'LEDGER_FULL', undrained: 9 }, 'RESOURCE_EXHAUSTED', 'catalog'],
  [{ kind: 'ENDED', state: 'SETTLED' }, 'INVALID_ARGUMENT', undefined],
])('%j fails the request', (outcome, code, dependency) => {
  const action = nextAction(asked({}), outcome);
  expect(action).toMatchObject({ kind: 'FAIL', failure: { code } });
  expect(action.kind === 'FAIL' && action.failure.dependency).toBe(dependency);
});

test('the store’s time is taken from its answer, unless that is one of an earlier call', () => {
  const allowed = { kind: 'ALLOW', nowMs: 5, leaseUntilMs: 9, ticketText: '' } as const;
  const rest = { states: [], softExceeded: [] };
  expect(storeTimeIn({ ...allowed, ...rest, already: false })).toBe(5);
  expect(storeTimeIn({ ...allowed, ...rest, already: true })).toBeUndefined();
  expect(storeTimeIn(denied())).toBe(NOW);
  expect(storeTimeIn({ kind: 'COLD', limitIds: [] })).toBeUndefined();
});
