import { planOf } from '../directory';
import { alias, retirement } from '../test-support/contexts';
import { listedPolicy } from './listing';
import { candidateModel, routedContext } from './test-support/policies';

const two = [
  candidateModel(0, { contextTokens: 8_000, createdAtMs: 20 }),
  candidateModel(1, { contextTokens: 100_000, defaultMaxOutputTokens: 900, createdAtMs: 10 }),
];
const open = { routeCompatRequests: true };
const NOW = 1_000;

test('a policy is what the most able of its candidates is', () => {
  expect(listedPolicy(planOf(routedContext(two, {}, open)), NOW)).toEqual({
    id: 'policy-1',
    name: 'any-chat',
    type: 'chat',
    provider: 'provider_a',
    contextTokens: 100_000,
    createdAtMs: 10,
    defaultMaxOutputTokens: 900,
    displayName: 'any-chat',
    inputTokenLimit: 100_000,
    outputTokenLimit: 900,
    families: 'unified,openai,anthropic,gemini',
  });
  const families = [two[0], candidateModel(1, { providerLabel: 'provider_b' })] as typeof two;
  expect(listedPolicy(planOf(routedContext(families, {}, open)), NOW)?.provider).toBe('org');
});

test.each([
  ['the lists’ own routes are not routed', two, {}, {}],
  ['routing is off', two, {}, { ...open, routingEnabled: false }],
  ['a model has its name', two, { name: 'model-1' }, open],
  [
    'every candidate is past its sunset',
    two.map((one) => ({ ...one, retirement: retirement({ sunsetAtMs: NOW }) })),
    {},
    open,
  ],
  ['an alias has its name', two, {}, { ...open, aliases: [alias({ name: 'any-chat' })] }],
  [
    'no candidate can chat for the key',
    [candidateModel(0, { granted: false }), candidateModel(1, { type: 'embeddings' })],
    {},
    open,
  ],
])('it is not listed where %s', (_, models, policy, changes) => {
  expect(listedPolicy(planOf(routedContext(models, policy, changes)), NOW)).toBeUndefined();
});
