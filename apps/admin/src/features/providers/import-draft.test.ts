import { rest } from '@tollgate/contracts';

import { changed, found, importOf, leftOver, toggled, typeOf } from './import-draft';

const model = (upstreamModel: string, over: Partial<rest.UpstreamModel> = {}) => ({
  upstreamModel,
  displayName: null,
  type: 'chat' as const,
  contextTokens: null,
  maxOutputTokens: null,
  modelId: null,
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
