import type { LimitState__Output, ValidateKeyReply__Output } from '@tollgate/contracts/node';

import { checkValid, describeKey } from './keys';

const limit = (over: Partial<LimitState__Output> = {}): LimitState__Output => ({
  limitId: 'limit-1',
  kind: 'BUDGET',
  metric: 'COST',
  scopeType: 'ORGANISATION',
  scopeId: 'organisation-1',
  limit: '12500000000',
  settled: '2000000001',
  held: '499999999',
  remaining: '10000000000',
  resetsAtMs: Date.UTC(2026, 11, 1),
  mode: 'HARD',
  period: 'MONTHLY',
  windowSeconds: 0,
  sharedId: 0,
  ...over,
});

const reply = (over: Partial<ValidateKeyReply__Output> = {}): ValidateKeyReply__Output => ({
  valid: true,
  denial: null,
  subject: {
    organisationId: 'organisation-1',
    organisationSlug: 'acme',
    teamId: 'team-1',
    userId: '',
    apiKeyId: 'key-1',
    apiKeyName: 'Nightly report',
    apiKeyType: 'TEAM',
  },
  models: [
    {
      id: 'model-1',
      name: 'small',
      type: 'chat',
      provider: 'provider_a',
      contextTokens: 8_000,
      createdAtMs: 5_000,
      defaultMaxOutputTokens: 500,
      displayName: 'Small',
      inputTokenLimit: 8_000,
      outputTokenLimit: 500,
      families: 'unified,openai,anthropic,gemini',
      retirement: null,
    },
  ],
  mcpServerIds: ['mcp-1'],
  limits: [limit()],
  expiresAtMs: Date.UTC(2027, 0, 1),
  ...over,
});

test('a validated key has its owner, its models and its remaining limits', () => {
  expect(describeKey(reply())).toEqual({
    valid: true,
    apiKey: {
      id: 'key-1',
      name: 'Nightly report',
      type: 'TEAM',
      expiresAt: '2027-01-01T00:00:00.000Z',
    },
    organisation: { id: 'organisation-1', slug: 'acme' },
    teamId: 'team-1',
    userId: null,
    models: [{ id: 'model-1', name: 'small', type: 'chat', provider: 'provider_a' }],
    mcpServerIds: ['mcp-1'],
    limits: [
      {
        id: 'limit-1',
        kind: 'BUDGET',
        metric: 'COST',
        scope: { type: 'ORGANISATION', id: 'organisation-1' },
        mode: 'HARD',
        period: 'MONTHLY',
        windowSeconds: null,
        limit: '12.50',
        settled: '2.000000001',
        held: '0.499999999',
        remaining: '10.00',
        resetsAt: '2026-12-01T00:00:00.000Z',
      },
    ],
  });
});

test('a budget is in dollars, every other amount is a count', () => {
  const amounts = { limit: '1000', settled: '400', held: '100', remaining: '500' };
  const { limits } = describeKey(
    reply({
      limits: [
        limit({ ...amounts, kind: 'QUOTA', period: '', windowSeconds: 3_600 }),
        limit({ ...amounts, kind: 'QUOTA', metric: 'TOKENS' }),
        limit({ ...amounts, kind: 'RATE_TOKENS', metric: '', period: '', resetsAtMs: 0 }),
      ],
    }),
  );
  expect(limits).toMatchObject([
    { metric: 'COST', remaining: '0.0000005', period: null, windowSeconds: 3_600 },
    { metric: 'TOKENS', limit: 1_000, settled: 400, held: 100, remaining: 500 },
    { metric: null, remaining: 500, period: null, windowSeconds: null, resetsAt: null },
  ]);
});

test('an unknown amount is null, not zero', () => {
  const unknown = limit({ settled: '', held: '', remaining: '' });
  const [told] = describeKey(reply({ limits: [unknown] })).limits;
  expect(told).toMatchObject({ limit: '12.50', settled: null, held: null, remaining: null });
});

test('a key without an expiry or owners has null for them', () => {
  const described = describeKey(reply({ expiresAtMs: 0 }));
  expect(described).toMatchObject({ apiKey: { expiresAt: null }, userId: null });
});

test('an invalid key is refused with policy’s own reason', () => {
  const denial = {
    code: 'invalid_api_key',
    message: 'no',
    detailsJson: '',
    limitId: '',
    reason: '',
    retryAfterMs: 0,
    subject: null,
    limits: [],
    retirement: null,
  };
  expect(() => checkValid(reply())).not.toThrow();
  expect(() => checkValid(reply({ valid: false, denial }))).toThrow(
    expect.objectContaining({ status: 401, code: 'invalid_api_key', message: 'no' }),
  );
});
