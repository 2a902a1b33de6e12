import { alias, context, model, retirement } from '../test-support/contexts';
import { askedModel } from './asked-model';
import { planOf } from './plan';

const DAY_MS = 86_400_000;
const BEGIN = Date.UTC(2026, 10, 1);
const SWITCH = BEGIN + 10 * DAY_MS;
const SUNSET = BEGIN + 20 * DAY_MS;

const models = [
  model({ modelId: 'old', name: 'old-model' }),
  model({ modelId: 'new', name: 'new-model' }),
];
const targets = [
  { modelId: 'old', effectiveFromMs: BEGIN },
  { modelId: 'new', effectiveFromMs: SWITCH },
];
const over = (changes: Parameters<typeof context>[0]) => planOf(context({ models, ...changes }));

test('an alias changes at its instant, by one plan', () => {
  const plan = over({ aliases: [alias({ targets })] });
  const at = (ms: number) => askedModel(plan, 'assistant', ms).model?.name;
  expect(at(BEGIN - 1)).toBeUndefined();
  expect(at(BEGIN)).toBe('old-model');
  expect(at(SWITCH - 1)).toBe('old-model');
  expect(at(SWITCH)).toBe('new-model');
});

test('what is asked for by an alias is granted as its target is, and moves nothing to a key', () => {
  const some = [model({ modelId: 'old' }), model({ modelId: 'new', name: 'n', granted: false })];
  const plan = planOf(context({ models: some, aliases: [alias({ targets })] }));
  expect(askedModel(plan, 'assistant', SWITCH - 1).model?.granted).toBe(true);
  expect(askedModel(plan, 'assistant', SWITCH).model?.granted).toBe(false);
});

test('the name of a model comes before that of an alias; an alias of a model that is off leads nowhere', () => {
  const plan = over({
    aliases: [alias({ name: 'new-model', targets: [{ modelId: 'old', effectiveFromMs: 0 }] })],
  });
  expect(askedModel(plan, 'new-model', SWITCH)).toMatchObject({
    model: { modelId: 'new' },
    isAlias: false,
  });
  const off = over({ aliases: [alias({ targets: [{ modelId: 'gone', effectiveFromMs: 0 }] })] });
  expect(askedModel(off, 'assistant', SWITCH)).toMatchObject({ model: undefined, isAlias: true });
});

describe('from its sunset on', () => {
  const ends = (changes: Parameters<typeof retirement>[0] = {}) =>
    retirement({ sunsetAtMs: SUNSET, replacementModelId: 'new', ...changes });

  test('a model answers no more, or its replacement does', () => {
    for (const onSunset of ['REFUSE', 'REPLACE']) {
      const [first, second] = models as [(typeof models)[0], (typeof models)[0]];
      const plan = over({ models: [{ ...first, retirement: ends({ onSunset }) }, second] });
      const before = askedModel(plan, 'old-model', SUNSET - 1);
      expect(before).toMatchObject({ model: { modelId: 'old' } });
      expect(before.retirement).toMatchObject({ name: 'old-model', replacement: 'new-model' });
      const after = askedModel(plan, 'old-model', SUNSET);
      expect(after.model?.modelId).toBe(onSunset === 'REPLACE' ? 'new' : 'old');
      expect(after.retirement).toEqual(before.retirement);
    }
  });

  test('an alias leads nowhere, or to its replacement', () => {
    const plan = over({ aliases: [alias({ targets, retirement: ends() })] });
    expect(askedModel(plan, 'assistant', SUNSET - 1)).toMatchObject({ ended: false });
    expect(askedModel(plan, 'assistant', SUNSET)).toMatchObject({ model: undefined, ended: true });
    const replaced = over({
      aliases: [alias({ targets, retirement: ends({ onSunset: 'REPLACE' }) })],
    });
    expect(askedModel(replaced, 'assistant', SUNSET)).toMatchObject({
      model: { modelId: 'new' },
      ended: false,
    });
  });

  test('the end of its target is not announced to those who ask for an alias', () => {
    const [first, second] = models as [(typeof models)[0], (typeof models)[0]];
    const plan = over({
      models: [{ ...first, retirement: ends({ onSunset: 'REPLACE' }) }, second],
      aliases: [alias({ targets: targets.slice(0, 1) })],
    });
    expect(askedModel(plan, 'assistant', SUNSET)).toMatchObject({
      model: { modelId: 'new' },
      retirement: undefined,
    });
  });

  test('a replacement that cannot be used neither answers nor is announced', () => {
    const plan = over({
      models: [
        model({
          modelId: 'old',
          name: 'old-model',
          retirement: ends({ onSunset: 'REPLACE', replacementModelId: 'gone' }),
        }),
      ],
    });
    const asked = askedModel(plan, 'old-model', SUNSET);
    expect(asked.model?.modelId).toBe('old');
    expect(asked.retirement?.replacement).toBe('');
  });
});
