import { rest } from '@tollgate/contracts';

import { modelBodyOf, modelDraftOf, NEW_MODEL, settingsOf, withCapability } from './model-draft';

const providerId = '01a200b7-30ab-7031-b144-0a2f9f4d5a00';

test('a new model is called at its upstream what it is called here, unless something else is typed', () => {
  const draft = { ...NEW_MODEL, name: ' gpt ', providerId, price: undefined };
  const body = modelBodyOf(draft);
  expect(body).toMatchObject({ name: 'gpt', upstreamModel: 'gpt', prices: [] });
  expect(rest.modelCreate.safeParse(body).success).toBe(true);
  expect(settingsOf({ ...draft, upstreamModel: 'gpt-4o' }).upstreamModel).toBe('gpt-4o');
});

test('a price that is asked for but not typed is refused at its fields', () => {
  const { error } = rest.modelCreate.safeParse(
    modelBodyOf({ ...NEW_MODEL, name: 'gpt', providerId }),
  );
  expect(new Set(error?.issues.map(({ path }) => path.join('.')))).toEqual(
    new Set(['prices.0.steps.0.input', 'prices.0.steps.0.output']),
  );
});

test('a change changes nothing by itself', () => {
  const model: rest.Model = {
    id: providerId,
    organisationId: providerId,
    name: 'gpt',
    providerId,
    upstreamModel: 'gpt-4o',
    type: 'reasoning',
    contextTokens: 8_000,
    defaultMaxOutputTokens: null,
    displayName: 'GPT',
    maxOutputTokens: 500,
    maxToolCalls: 3,
    capabilities: ['tools'],
    allowedRegions: ['eu'],
    retirement: null,
    status: 'DISABLED',
    currentPrice: null,
    listPrice: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  };
  const body = settingsOf(modelDraftOf(model));
  expect(rest.modelPatch.safeParse(body).success).toBe(true);
  expect(model).toMatchObject(body);
});

test('capabilities are ticked one by one', () => {
  expect(withCapability(['audio'], 'tools', true)).toEqual(['tools', 'audio']);
  expect(withCapability(['tools', 'audio'], 'tools', false)).toEqual(['audio']);
});
