import { modelNamed, planOf } from '../directory';
import { ask, context, limit, model } from '../test-support/contexts';
import type { Ask } from './ask';
import { checkAccess } from './checks';

const NOW = Date.UTC(2026, 10, 21);

function askOf(
  changes: Parameters<typeof ask>[0] = {},
  contextChanges: Parameters<typeof context>[0] = {},
): Ask {
  const request = ask(changes);
  const plan = planOf(context(contextChanges));
  const found = modelNamed(plan, request.model);
  const price = found?.prices[0];
  return { request, nowMs: NOW, plan, model: found, price };
}

const withModel = (changes: Parameters<typeof model>[0]) => ({ models: [model(changes)] });

describe('a key is refused with 401', () => {
  test('when it is unknown', () => {
    expect(checkAccess({ ...askOf(), plan: undefined })).toEqual({ code: 'invalid_api_key' });
  });
  test('when it, its user or its organisation is not active', () => {
    const inactive = { active: false, inactiveReason: 'the user is DISABLED' };
    const reason = inactive.inactiveReason;
    expect(checkAccess(askOf({}, inactive))).toEqual({ code: 'invalid_api_key', reason });
  });
  test('from the instant on at which it expires', () => {
    const reason = 'the key is EXPIRED';
    expect(checkAccess(askOf({}, { expiresAtMs: NOW }))).toEqual({
      code: 'invalid_api_key',
      reason,
    });
    expect(checkAccess(askOf({}, { expiresAtMs: NOW + 1 }))).toBeUndefined();
  });
});

describe('a model or provider is refused with 400', () => {
  test('a name that does not exist in the organisation', () => {
    expect(checkAccess(askOf({ model: 'nope' }))).toMatchObject({ code: 'model_not_found' });
  });
  test('a model that cannot do the operation', () => {
    const refusal = checkAccess(askOf({ operation: 'embeddings' }));
    expect(refusal).toMatchObject({ code: 'unsupported_model', details: { modelType: 'chat' } });
  });
  test('an operation that nobody knows', () => {
    expect(checkAccess(askOf({ operation: 'divination' }))?.code).toBe('unsupported_model');
  });
  test('a pin that does not match, by label, type and real name', () => {
    for (const providerPin of ['provider_b', 'PROVIDER_B', 'anthropic', 'azure', 'nobody']) {
      expect(checkAccess(askOf({ providerPin }))).toMatchObject({ code: 'provider_mismatch' });
    }
    for (const providerPin of ['provider_a', 'PROVIDER_A', 'openai']) {
      expect(checkAccess(askOf({ providerPin }))).toBeUndefined();
    }
  });
  test('the label provider_a also pins the cloud-hosted variant, its own name only that', () => {
    const hosted = withModel({ providerType: 'PROVIDER_F' });
    expect(checkAccess(askOf({ providerPin: 'provider_a' }, hosted))).toBeUndefined();
    expect(checkAccess(askOf({ providerPin: 'azure' }, hosted))).toBeUndefined();
    expect(checkAccess(askOf({ providerPin: 'openai' }, hosted))?.code).toBe('provider_mismatch');
  });
  test('a route that is fixed to other providers', () => {
    const route = { allowedProviderTypes: ['PROVIDER_D'], family: 'vllm' };
    expect(checkAccess(askOf(route))?.code).toBe('provider_mismatch');
    expect(checkAccess(askOf(route, withModel({ providerType: 'PROVIDER_D' })))).toBeUndefined();
  });
  describe('unless openCompatRoutes opens it', () => {
    const route = { allowedProviderTypes: ['PROVIDER_A', 'PROVIDER_F'], family: 'openai' };
    const custom = (type: string, openCompatRoutes: boolean) => ({
      ...withModel({ type, providerType: 'CUSTOM', providerLabel: 'provider_e' }),
      openCompatRoutes,
    });

    test.each([
      ['chat', 'chat'],
      ['responses', 'chat'],
      ['completions', 'chat'],
      ['embeddings', 'embeddings'],
      ['image_generation', 'image'],
      ['image_edit', 'image'],
      ['image_variation', 'image'],
      ['moderation', 'moderation'],
      ['speech', 'tts'],
      ['transcription', 'transcription'],
      ['translation', 'transcription'],
    ])('%s', (operation, type) => {
      const request = { ...route, operation };
      expect(checkAccess(askOf(request, custom(type, true)))).toBeUndefined();
      const refusal = checkAccess(askOf(request, custom(type, false)));
      expect(refusal).toMatchObject({
        code: 'provider_mismatch',
        details: { model: 'small', provider: 'provider_e', setting: 'openCompatRoutes' },
      });
      expect(refusal?.message).toContain('setting openCompatRoutes is off');
    });

    test.each([
      ['chat', 'chat', '/v1/llm/chat'],
      ['embeddings', 'embeddings', ':embedContent'],
    ])('a refused %s names the route that serves any provider', (operation, type, path) => {
      const refusal = checkAccess(askOf({ ...route, operation }, custom(type, false)));
      expect(refusal?.message).toContain(path);
    });

    test('what no family fixes is the caller’s own restriction, and stays', () => {
      const refusal = checkAccess(askOf({ ...route, family: 'unified' }, custom('chat', true)));
      expect(refusal?.code).toBe('provider_mismatch');
      expect(refusal?.message).not.toContain('openCompatRoutes');
    });
  });
  test.each([
    ['completions', 'chat', 'PROVIDER_B', 'anthropic'],
    ['completions', 'chat', 'PROVIDER_C', 'gemini'],
    ['embeddings', 'embeddings', 'PROVIDER_B', 'anthropic'],
    ['moderation', 'moderation', 'PROVIDER_F', 'openai'],
    ['moderation', 'moderation', 'PROVIDER_D', 'vllm'],
  ])('%s of a %s model of %s, which has none', (operation, type, providerType, upstreamFormat) => {
    for (const openCompatRoutes of [false, true]) {
      const over = { ...withModel({ type, providerType, upstreamFormat }), openCompatRoutes };
      expect(checkAccess(askOf({ operation, family: 'openai' }, over))).toMatchObject({
        code: 'unsupported_model',
        details: { model: 'small', operation },
      });
    }
  });
  test('a route of a family that is fixed, even where its caller restricts nothing', () => {
    const other = withModel({ providerType: 'PROVIDER_B' });
    for (const [family, code] of [
      ['openai', 'provider_mismatch'],
      ['vllm', 'provider_mismatch'],
      ['anthropic', undefined],
      ['gemini', undefined],
      ['unified', undefined],
      ['', undefined],
    ] as const) {
      expect(checkAccess(askOf({ family }, other))?.code).toBe(code);
    }
  });
  describe('a response that it continues', () => {
    const continuing = (issuer: Ask['issuer']): Ask => ({
      ...askOf({ operation: 'responses', previousResponseId: 'resp_1' }),
      issuer,
    });
    const made = {
      providerId: 'provider-1',
      connectionVersion: 3,
      modelId: 'model-9',
      readTokens: 0,
    };
    test('that nobody knows', () => {
      expect(checkAccess(continuing(undefined))).toMatchObject({
        code: 'invalid_request',
        details: { param: 'previous_response_id', reason: 'unknown_response' },
      });
    });
    test('that another provider made', () => {
      expect(checkAccess(continuing({ ...made, providerId: 'provider-2' }))).toMatchObject({
        code: 'invalid_request',
        details: { param: 'previous_response_id', reason: 'other_provider' },
      });
    });
    test('not one that its own provider made', () => {
      expect(checkAccess(continuing(made))).toBeUndefined();
    });
  });
  test('a provider that is switched off', () => {
    const refusal = checkAccess(askOf({}, withModel({ providerActive: false })));
    expect(refusal).toMatchObject({
      code: 'provider_misconfigured',
      details: { reason: 'provider_inactive' },
    });
  });
  test('a model without a price where money is counted, and only there', () => {
    const free = withModel({ prices: [] });
    expect(checkAccess(askOf({}, free))).toBeUndefined();
    const tokens = limit({ kind: 'QUOTA', metric: 'TOKENS' });
    expect(checkAccess(askOf({}, { ...free, limits: [tokens] }))).toBeUndefined();
    for (const counted of [limit(), limit({ kind: 'QUOTA', metric: 'COST' })]) {
      expect(checkAccess(askOf({}, { ...free, limits: [counted] }))).toMatchObject({
        code: 'provider_misconfigured',
        details: { reason: 'no_price' },
      });
      const counting = askOf({ operation: 'count_tokens' }, { ...free, limits: [counted] });
      expect(checkAccess(counting)).toBeUndefined();
    }
  });
});

test('a model without a grant is refused with 403', () => {
  expect(checkAccess(askOf({}, withModel({ granted: false })))).toMatchObject({
    code: 'model_access_denied',
  });
});

test('a model can be asked for by its id, and a name wins over an id', () => {
  expect(checkAccess(askOf({ model: 'model-1' }))).toBeUndefined();
  const plan = planOf(
    context({ models: [model(), model({ modelId: 'model-2', name: 'model-1' })] }),
  );
  expect(modelNamed(plan, 'model-1')?.modelId).toBe('model-2');
});

test('the order is key, model, operation, pin, route, continued response, provider, grant', () => {
  const everythingWrong = askOf(
    {
      operation: 'embeddings',
      providerPin: 'provider_b',
      allowedProviderTypes: ['PROVIDER_D'],
      family: 'vllm',
      previousResponseId: 'resp_1',
    },
    { ...withModel({ providerActive: false, granted: false }), active: false },
  );
  const codes: string[] = [];
  let next: Ask = everythingWrong;
  const repair: ((wrong: Ask) => Ask)[] = [
    (wrong) => ({
      ...wrong,
      plan: wrong.plan && { ...wrong.plan, active: true },
      model: undefined,
    }),
    (wrong) => ({ ...wrong, model: everythingWrong.model }),
    (wrong) => ({ ...wrong, request: { ...wrong.request, operation: 'chat' } }),
    (wrong) => ({ ...wrong, request: { ...wrong.request, providerPin: '' } }),
    (wrong) => ({
      ...wrong,
      request: { ...wrong.request, allowedProviderTypes: [], family: 'unified' },
    }),
    (wrong) => ({ ...wrong, request: { ...wrong.request, previousResponseId: '' } }),
    (wrong) => ({
      ...wrong,
      model: modelNamed(planOf(context(withModel({ granted: false }))), 'small'),
    }),
    (wrong) => ({ ...wrong, model: modelNamed(planOf(context()), 'small') }),
  ];
  for (const fix of repair) {
    codes.push(checkAccess(next)?.code ?? 'allowed');
    next = fix(next);
  }
  codes.push(checkAccess(next)?.code ?? 'allowed');
  expect(codes).toEqual([
    'invalid_api_key',
    'model_not_found',
    'unsupported_model',
    'provider_mismatch',
    'provider_mismatch',
    'invalid_request',
    'provider_misconfigured',
    'model_access_denied',
    'allowed',
  ]);
});
