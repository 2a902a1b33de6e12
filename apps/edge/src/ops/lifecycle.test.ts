import type { ValidateKeyReply__Output } from '@tollgate/contracts/node';
import type { Request } from 'express';

import { describeModel, MODEL_ROUTES } from './models';

const model = (deprecatedAtMs: number) => ({
  modelId: 'm1',
  name: 'old',
  type: 'chat',
  provider: 'provider_b',
  contextTokens: 8_000,
  createdAtMs: 5_000,
  defaultMaxOutputTokens: 500,
  displayName: 'Old',
  inputTokenLimit: 8_000,
  outputTokenLimit: 500,
  families: 'unified,openai,anthropic,gemini',
  retirement: { name: 'old', deprecatedAtMs, sunsetAtMs: 0, replacement: '', url: '' },
});

test.each([
  ['before', 999, 'active'],
  ['from', 1_000, 'deprecated'],
])('Anthropic’s list calls a model deprecated only %s its day', (_, nowMs, lifecycle) => {
  const shape = MODEL_ROUTES.find(({ path }) => path === '/v1/models')?.shape;
  const req = { headers: { 'anthropic-version': '2023-06-01' }, query: {} } as unknown as Request;
  const reply = { models: [model(1_000)] } as unknown as ValidateKeyReply__Output;
  expect(shape && describeModel(shape(req), reply, { name: 'old', nowMs })).toMatchObject({
    lifecycle,
    deprecated_at: '1970-01-01T00:00:01.000Z',
  });
});
