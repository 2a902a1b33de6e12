import { createDropList } from '../drop-list';
import type { NormalisedRequest } from '../normalised';
import { generationOf } from './generations';
import { encodeReasoning, type Circumstances } from './reasoning';

const circumstances = {
  model: 'claude-opus-5',
  maxTokens: 64_000,
  forcesCall: false,
  beginsAnswer: false,
  unexplainedCall: false,
};

function encode(request: Partial<NormalisedRequest>, around: Partial<typeof circumstances> = {}) {
  const drops = createDropList(false);
  const given = request as NormalisedRequest;
  const { model, ...rest } = { ...circumstances, ...around };
  const found: Circumstances = { ...rest, generation: generationOf(model) };
  const encoded = encodeReasoning(given, found, drops);
  return { ...encoded, dropped: drops.finish() };
}

const adaptive = { type: 'adaptive' };
const budget = (tokens: number) => ({ type: 'enabled', budget_tokens: tokens });

test.each([
  ['claude-opus-5', { effort: 'high', thinking: adaptive }],
  ['claude-mythos-preview', { effort: 'high', thinking: adaptive }],
  ['another-model', { effort: 'high', thinking: adaptive }],
  ['claude-sonnet-4-6', { effort: 'high', thinking: adaptive }],
  ['us.anthropic.claude-haiku-4-5-20251001-v1:0', { thinking: budget(16_384) }],
  ['claude-opus-4-20250514', { thinking: budget(16_384) }],
  ['claude-3-7-sonnet-20250219', { thinking: budget(16_384) }],
])('the effort for %s', (model, wanted) => {
  expect(encode({ reasoningEffort: 'high' }, { model })).toEqual({ ...wanted, dropped: [] });
});

test.each([
  ['claude-opus-4-6', 'xhigh', 'high', ['reasoning_effort']],
  ['claude-opus-4-6', 'max', 'max', []],
  ['claude-opus-5', 'xhigh', 'xhigh', []],
  ['claude-opus-5', 'minimal', 'low', ['reasoning_effort']],
])(
  '%s, asked for an effort of %s, is told the nearest it takes',
  (model, asked, effort, dropped) => {
    expect(encode({ reasoningEffort: asked }, { model })).toMatchObject({ effort, dropped });
  },
);

test('a model that cannot think is not asked to think', () => {
  const model = 'claude-3-5-sonnet-20241022';
  expect(encode({ reasoningEffort: 'low' }, { model }).dropped).toEqual(['reasoning_effort']);
  expect(encode({ reasoningEffort: 'none' }, { model })).toEqual({ dropped: [] });
});

const off = { type: 'disabled' };

test.each([
  ['claude-sonnet-4-5', { dropped: [] }],
  ['claude-opus-4-6', { dropped: [] }],
  ['claude-opus-4-7', { dropped: [] }],
  ['claude-opus-5', { thinking: off, dropped: [] }],
  ['claude-mythos-preview', { dropped: ['reasoning_effort'] }],
])('%s has its own way to turn thinking off', (model, wanted) => {
  expect(encode({ reasoningEffort: 'none' }, { model })).toEqual(wanted);
});

test('with thinking off, an effort above high becomes high', () => {
  const reasoningBudget = { tokens: 0, path: 'thinking' };
  expect(encode({ reasoningBudget, reasoningEffort: 'max' })).toEqual({
    thinking: off,
    effort: 'high',
    dropped: ['reasoning_effort'],
  });
  expect(encode({ reasoningBudget, reasoningEffort: 'low' })).toEqual({
    thinking: off,
    effort: 'low',
    dropped: [],
  });
});

test('a model that accepts only budgets gets the middle one if the client sets no amount', () => {
  const reasoningBudget = { tokens: -1, path: 'thinking' };
  const model = 'claude-sonnet-4-5';
  expect(encode({ reasoningBudget }, { model })).toEqual({
    thinking: budget(8_192),
    dropped: ['thinking'],
  });
  expect(encode({ reasoningBudget, reasoningEffort: 'high' }, { model })).toEqual({
    thinking: budget(16_384),
    dropped: [],
  });
});

test('a prefilled answer excludes thinking', () => {
  const reasoningBudget = { tokens: 4_000, path: 'thinking' };
  const beginsAnswer = true;
  for (const model of ['claude-sonnet-4-5', 'claude-opus-4-6', 'claude-opus-5']) {
    const { thinking, dropped } = encode({ reasoningBudget }, { beginsAnswer, model });
    expect([thinking, dropped]).toEqual([undefined, ['thinking']]);
  }
});

test('a budget stays a budget for models that accept one, and becomes an effort for others', () => {
  const reasoningBudget = { tokens: 4_000, path: 'p' };
  const model = 'claude-sonnet-4-5';
  expect(encode({ reasoningBudget }, { model })).toEqual({ thinking: budget(4_000), dropped: [] });
  expect(encode({ reasoningBudget })).toEqual({
    effort: 'low',
    thinking: adaptive,
    dropped: ['p'],
  });
  const free = { reasoningBudget: { tokens: -1, path: 'p' } };
  expect(encode(free)).toEqual({ thinking: adaptive, dropped: [] });
});

test('a thinking budget stays below the output bound, or is left out', () => {
  const reasoningEffort = 'high';
  const model = 'claude-sonnet-4-5';
  const fitted = { thinking: budget(1_600), dropped: ['reasoning_effort'] };
  expect(encode({ reasoningEffort }, { model, maxTokens: 2_000 })).toEqual(fitted);
  const reasoningBudget = { tokens: 2_000, path: 'thinking' };
  expect(encode({ reasoningBudget }, { model, maxTokens: 2_000 })).toEqual({
    thinking: budget(1_600),
    dropped: ['thinking'],
  });
  expect(encode({ reasoningBudget }, { model, maxTokens: 2_001 })).toEqual({
    thinking: budget(2_000),
    dropped: [],
  });
  expect(encode({ reasoningBudget }, { model, maxTokens: 1_100 }).thinking).toEqual(budget(1_024));
  expect(encode({ reasoningEffort }, { model, maxTokens: 1_024 })).toEqual({
    dropped: ['reasoning_effort'],
  });
});

test('a forced call excludes thinking, and an effort can still be set', () => {
  const forcesCall = true;
  expect(encode({ reasoningEffort: 'low' }, { forcesCall })).toEqual({
    effort: 'low',
    dropped: [],
  });
  const model = 'claude-sonnet-4-5';
  expect(encode({ reasoningEffort: 'low' }, { forcesCall, model }).dropped).toEqual([
    'reasoning_effort',
  ]);
});

test('earlier calls without their thinking exclude thinking with a budget', () => {
  const model = 'claude-sonnet-4-5';
  expect(encode({ reasoningEffort: 'low' }, { unexplainedCall: true, model }).dropped).toEqual([
    'reasoning_effort',
  ]);
});

test('an adaptive model gets an effort where a budget is not possible', () => {
  const reasoningBudget = { tokens: 4_000, path: 'thinking' };
  const model = 'claude-opus-4-6';
  const nearest = { thinking: adaptive, effort: 'low', dropped: ['thinking'] };
  expect(encode({ reasoningBudget }, { model, unexplainedCall: true })).toEqual(nearest);
  expect(encode({ reasoningBudget }, { model, maxTokens: 1_000 })).toEqual(nearest);
});

test('an unknown effort of another vendor is reported as dropped', () => {
  expect(encode({ reasoningEffort: 'turbo' }).dropped).toEqual(['reasoning_effort']);
});
