import { uuidv7 } from '@tollgate/kit';

import { routedContext } from '../routing/test-support/policies';
import {
  alias,
  ask,
  context,
  limit,
  model,
  price,
  retirement,
  serverTool,
  sha256,
  SUBJECT,
} from '../test-support/contexts';
import { FLOATS, startRig, type Rig } from '../test-support/rig';

// Requests that name an alias, or something that has been retired.

const HOUR_MS = 3_600_000;

describe.each(FLOATS)('with floats $FLOATS', (floats) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(floats);
  });
  afterAll(async () => {
    await rig.stop();
  });

  function key(changes: Parameters<typeof context>[0]): Buffer {
    const organisationId = uuidv7();
    const keySha256 = sha256(organisationId);
    rig.catalog.putKey(
      keySha256,
      context({ ...changes, subject: { ...SUBJECT, organisationId, apiKeyId: organisationId } }),
    );
    return keySha256;
  }
  const asks = (keySha256: Buffer, name: string, changes: Parameters<typeof ask>[0] = {}) =>
    rig.authorize(ask({ keySha256, model: name, ...changes }));

  const cheap = model({ modelId: 'cheap', name: 'cheap', prices: [price({ priceId: 'p-cheap' })] });
  const dear = model({
    modelId: 'dear',
    name: 'dear',
    providerId: 'provider-2',
    prices: [
      price({
        priceId: 'p-dear',
        steps: price().steps.map((step) => ({
          ...step,
          input: '9000000000',
          output: '9000000000',
        })),
      }),
    ],
  });

  test('price, limits and connection are those of the target in force', async () => {
    const keySha256 = key({
      models: [cheap, dear],
      aliases: [
        alias({
          targets: [
            { modelId: 'cheap', effectiveFromMs: 0 },
            { modelId: 'dear', effectiveFromMs: Date.now() - HOUR_MS },
            { modelId: 'cheap', effectiveFromMs: Date.now() + HOUR_MS },
          ],
        }),
      ],
      limits: [
        limit({ limitId: `of-dear-${uuidv7()}`, scopeType: 'MODEL', scopeId: 'dear' }),
        limit({ limitId: `of-cheap-${uuidv7()}`, scopeType: 'MODEL', scopeId: 'cheap' }),
      ],
    });
    const { allow } = await asks(keySha256, 'assistant');
    expect(allow?.candidates).toMatchObject([
      {
        modelId: 'dear',
        modelName: 'dear',
        providerId: 'provider-2',
        price: { priceId: 'p-dear' },
      },
    ]);
    expect(allow?.heldNanoUsd).toBe(String(150 * 9_000));
    expect(allow?.limits.map(({ scopeId }) => scopeId)).toEqual(['dear']);
    expect(allow?.retirement).toBeNull();
  });

  test('a repeated request keeps its model, with the bound of its tools, after the target has changed', async () => {
    const subject = { ...SUBJECT, organisationId: uuidv7(), apiKeyId: uuidv7() };
    const keyWith = (modelId: string): Buffer => {
      const keySha256 = sha256(uuidv7());
      const models = [{ ...cheap, maxToolCalls: 3 }, dear];
      const aliases = [alias({ targets: [{ modelId, effectiveFromMs: 0 }] })];
      rig.catalog.putKey(keySha256, context({ models, aliases, subject }));
      return keySha256;
    };
    const requestId = uuidv7();
    const question = { requestId, serverTools: [serverTool({ unit: '' })] };
    const first = await asks(keyWith('cheap'), 'assistant', question);
    expect(first.allow?.candidates).toMatchObject([{ modelId: 'cheap', maxToolCalls: 3 }]);
    const again = await asks(keyWith('dear'), 'assistant', { ...question, resent: true });
    expect(again.allow?.candidates).toEqual(first.allow?.candidates);
  });

  test('a key without a grant of the target gets nothing by the alias', async () => {
    const keySha256 = key({
      models: [cheap, { ...dear, granted: false }],
      aliases: [alias({ targets: [{ modelId: 'dear', effectiveFromMs: 0 }] })],
    });
    const { denial } = await asks(keySha256, 'assistant');
    expect(denial).toMatchObject({ code: 'model_access_denied', detailsJson: '{"model":"dear"}' });
  });

  test('a model past its sunset is refused with its end and its replacement', async () => {
    const sunsetAtMs = Date.UTC(2026, 0, 31, 12);
    const ended = retirement({
      deprecatedAtMs: Date.UTC(2025, 5, 1),
      sunsetAtMs,
      replacementModelId: 'dear',
      url: 'https://example.com/ends',
    });
    const keySha256 = key({ models: [{ ...cheap, retirement: ended }, dear] });
    const { denial } = await asks(keySha256, 'cheap');
    expect(denial).toMatchObject({
      code: 'model_not_found',
      message:
        'The model "cheap" was retired on 2026-01-31 and is no longer served. Use "dear" instead. See https://example.com/ends.',
      retirement: { name: 'cheap', sunsetAtMs, replacement: 'dear' },
    });
    expect(JSON.parse(denial?.detailsJson ?? '')).toEqual({
      model: 'cheap',
      reason: 'sunset',
      sunsetAt: '2026-01-31T12:00:00.000Z',
      replacement: 'dear',
    });
    const byAlias = key({
      models: [cheap, dear],
      aliases: [alias({ targets: [{ modelId: 'cheap', effectiveFromMs: 0 }], retirement: ended })],
    });
    expect((await asks(byAlias, 'assistant')).denial).toMatchObject({
      code: 'model_not_found',
      message: expect.stringContaining('The alias "assistant" was retired on') as unknown,
    });
  });

  test('a replacement answers for keys that may use it, and the end is told', async () => {
    const ended = retirement({
      sunsetAtMs: 1,
      replacementModelId: 'dear',
      onSunset: 'REPLACE',
    });
    const old = { ...cheap, retirement: ended };
    const { allow } = await asks(key({ models: [old, dear] }), 'cheap');
    expect(allow?.candidates).toMatchObject([{ modelId: 'dear' }]);
    expect(allow?.retirement).toMatchObject({ name: 'cheap', sunsetAtMs: 1, replacement: 'dear' });
    const without = await asks(key({ models: [old, { ...dear, granted: false }] }), 'cheap');
    expect(without.denial?.code).toBe('model_access_denied');
  });

  test('what is ending is told with an allow, and with a refusal by a limit', async () => {
    const ending = retirement({ deprecatedAtMs: 5_000, sunsetAtMs: Date.now() + HOUR_MS });
    const models = [{ ...cheap, retirement: ending }];
    expect((await asks(key({ models }), 'cheap')).allow?.retirement).toMatchObject({
      name: 'cheap',
      deprecatedAtMs: 5_000,
    });
    const spent = limit({
      limitId: `none-${uuidv7()}`,
      scopeType: 'MODEL',
      scopeId: 'cheap',
      limit: '0',
    });
    expect((await asks(key({ models, limits: [spent] }), 'cheap')).denial).toMatchObject({
      code: 'budget_exceeded',
      retirement: { name: 'cheap' },
    });
  });

  test('routing leaves out candidates past their sunset, and an alias is routed as its target', async () => {
    const models = [{ ...cheap, retirement: retirement({ sunsetAtMs: 1 }) }, dear];
    const aliases = [alias({ targets: [{ modelId: 'dear', effectiveFromMs: 0 }] })];
    const keySha256 = key(routedContext(models, {}, { aliases }));
    const byPolicy = await asks(keySha256, 'any-chat');
    expect(byPolicy.allow?.candidates).toMatchObject([{ modelId: 'dear' }]);
    expect(byPolicy.allow?.routing?.leftOut).toMatchObject([
      { modelId: 'cheap', reason: 'sunset' },
    ]);
    const byAlias = await asks(keySha256, 'assistant');
    expect(byAlias.allow?.routing?.policyName).toBe('any-chat');
    expect(byAlias.allow?.candidates).toMatchObject([{ modelId: 'dear' }]);
  });
});
