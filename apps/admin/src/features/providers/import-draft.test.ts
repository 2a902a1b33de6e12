import { rest } from '@tollgate/contracts';

import { changed, found, importOf, leftOver, toggled, typeOf, unpricedOf } from './import-draft';

const model = (upstreamModel: string, over: Partial<rest.UpstreamModel> = {}) => ({
  upstreamModel,
  displayName: null,
  type: 'chat' as const,
  contextTokens: null,
  maxOutputTokens: null,
  modelId: null,
  known: null,
  ...over,
});
const MODELS = [model('gpt'), model('small', { displayName: 'Tiny', maxOutputTokens: 100 })];

test('the chosen models are sent with what the upstream tells of them', () => {
  const choices = changed(toggled(new Map(), ['small'], true), 'small', { name: ' mini ' });
  const body = { models: importOf(MODELS, choices) };
  expect(rest.modelImport.parse(body).models).toEqual([
    expect.objectContaining({
      upstreamModel: 'small',
      name: 'mini',
      displayName: 'Tiny',
      contextTokens: 128_000,
      maxOutputTokens: 100,
    }),
  ]);
  const [plain] = importOf(MODELS, toggled(new Map(), ['gpt'], true));
  expect(plain).toMatchObject({ upstreamModel: 'gpt' });
  expect(plain).not.toHaveProperty('name');
  // The server takes the model's own maximum.
  expect(plain).not.toHaveProperty('defaultMaxOutputTokens');
});

const KNOWN: rest.KnownModel = {
  vendor: 'OpenAI',
  name: 'o3',
  price: {
    steps: [
      {
        fromInputTokens: 0,
        input: '2.00',
        cacheRead: '0.50',
        cacheWrite5m: '2.00',
        cacheWrite1h: '2.00',
        audioInput: '2.00',
        imageInput: '2.00',
        output: '8.00',
        audioOutput: '8.00',
        imageOutput: '8.00',
      },
    ],
    perRequestUsd: '0.00',
    perUnitUsd: { web_search: '0.01' },
    tierPercent: {},
  },
  seen: '2026-08-21',
  sourceUrl: 'https://prices.example.com',
  note: null,
  retiresFrom: null,
  type: 'reasoning',
  contextTokens: 200_000,
  maxOutputTokens: 100_000,
  capabilities: ['tools'],
};

test('a known model brings price, limits and capabilities; what the upstream says comes first', () => {
  const models = [model('o3', { known: KNOWN, contextTokens: 150_000 })];
  const choices = toggled(new Map(), ['o3'], true);
  expect(rest.modelImport.parse({ models: importOf(models, choices) }).models).toEqual([
    expect.objectContaining({
      type: 'reasoning',
      contextTokens: 150_000,
      maxOutputTokens: 100_000,
      capabilities: ['tools'],
      price: rest.priceCreate.parse({
        steps: [{ input: '2.00', cacheRead: '0.50', output: '8.00' }],
        perUnitUsd: { web_search: '0.01' },
        tierPercent: {},
      }),
    }),
  ]);
  expect(unpricedOf(models, choices)).toEqual([]);
});

test('a price that is not wanted is not sent, and such models and unknown ones count as unpriced', () => {
  const models = [model('gpt'), model('o3', { known: KNOWN }), model('not chosen')];
  const choices = changed(toggled(new Map(), ['gpt', 'o3'], true), 'o3', { unpriced: true });
  for (const sent of importOf(models, choices)) expect(sent).not.toHaveProperty('price');
  expect(unpricedOf(models, choices).map(({ upstreamModel }) => upstreamModel)).toEqual([
    'gpt',
    'o3',
  ]);
});

test('known models come first', () => {
  const models = [model('alpha'), model('o3', { known: KNOWN })];
  expect(found(models, '').map(({ upstreamModel }) => upstreamModel)).toEqual(['o3', 'alpha']);
});

test('choosing again keeps what was typed, choosing none forgets it', () => {
  const choices = changed(new Map(), 'gpt', { name: 'mine' });
  expect(toggled(choices, ['gpt', 'small'], true).get('gpt')).toEqual({ name: 'mine' });
  expect(toggled(choices, ['gpt'], false).size).toBe(0);
});

test('a search looks at ids and at names', () => {
  expect(found(MODELS, ' TIN').map(({ upstreamModel }) => upstreamModel)).toEqual(['small']);
  expect(found(MODELS, '')).toHaveLength(2);
});

test('after an import only what was refused for its name is left to choose another for', () => {
  const choices = toggled(new Map(), ['gpt', 'small', 'drawn'], true);
  const result = (upstreamModel: string, modelId: string | null) => ({
    upstreamModel,
    name: upstreamModel,
    outcome: modelId === null ? ('NAME_TAKEN' as const) : ('CREATED' as const),
    modelId,
    message: null,
  });
  const unserved = { ...result('drawn', null), outcome: 'NOT_SERVED' as const };
  const results = [result('gpt', 'id'), result('small', null), unserved];
  const left = leftOver(choices, { created: 1, existing: 0, refused: 2, results });
  expect([...left.keys()]).toEqual(['small']);
});

test('a type is one that there is', () => {
  expect([typeOf('image'), typeOf('video')]).toEqual(['image', undefined]);
});
