import { checkAccess, modelForConversation, type Issuer } from '.';
import { modelNamed, planOf } from '../directory';
import { ask, context, model, retirement } from '../test-support/contexts';

const CREATE = {
  operation: 'conversation_create',
  family: 'openai',
  allowedProviderTypes: ['PROVIDER_A', 'PROVIDER_F'],
  model: '',
};

type Models = ReturnType<typeof model>[];

function chosen(models: Models, openCompatRoutes = false) {
  const plan = planOf(context({ models, openCompatRoutes }));
  const request = ask(CREATE);
  const nowMs = Date.UTC(2026, 10, 21);
  const found = modelForConversation(plan, request, nowMs);
  const refusal = checkAccess({
    request,
    nowMs,
    plan,
    model: found,
    price: found?.prices[0],
  });
  return { name: found?.name, refusal };
}

const own = (name: string, changes: Parameters<typeof model>[0] = {}) =>
  model({ modelId: `id-${name}`, name, ...changes });

test('a key whose models lead to one provider makes conversations there', () => {
  const models = [
    own('a-embedding', { type: 'embeddings', providerId: 'provider-2' }),
    own('claude', { providerId: 'p3', providerType: 'PROVIDER_B', upstreamFormat: 'anthropic' }),
    own('gpt'),
    own('gpt-mini'),
    own('off', { providerId: 'provider-4', providerActive: false }),
    own('theirs', { providerId: 'provider-5', granted: false }),
  ];
  expect(chosen(models)).toEqual({ name: 'gpt', refusal: undefined });
});

test('a model past its sunset keeps none, and is not recommended', () => {
  const sunsetAtMs = Date.UTC(2026, 10, 20);
  const models = [own('a-old', { retirement: retirement({ sunsetAtMs }) }), own('b-new')];
  expect(chosen(models)).toEqual({ name: 'b-new', refusal: undefined });
  expect(chosen(models.slice(0, 1)).refusal).toMatchObject({ code: 'unsupported_model' });
});

test('with several providers it is told to name a model, and with which header', () => {
  const models = [own('gpt'), own('other', { providerId: 'provider-2' }), own('third')];
  const { name, refusal } = chosen(models);
  expect(name).toBeUndefined();
  expect(refusal).toMatchObject({
    code: 'invalid_request',
    details: {
      param: 'x-tollgate-model',
      reason: 'several_providers',
      models: ['gpt', 'other'],
    },
  });
  expect(refusal?.message).toContain('such as "gpt", "other"');
});

test('with none it is told that none of its models can', () => {
  const custom = own('custom', { providerType: 'CUSTOM', providerLabel: 'provider_e' });
  for (const open of [false, true]) {
    expect(chosen([custom], open).refusal).toMatchObject({ code: 'unsupported_model' });
  }
});

test('a provider that declares the Responses API counts where the route may use it', () => {
  const declared = own('custom', { providerType: 'CUSTOM', nativeResponses: true });
  expect(chosen([declared], true)).toEqual({ name: 'custom', refusal: undefined });
  expect(chosen([declared], false).refusal).toMatchObject({ code: 'unsupported_model' });
});

test('what costs nothing needs no price', () => {
  const model = own('gpt', { prices: [] });
  expect(chosen([model])).toEqual({ name: 'gpt', refusal: undefined });
});

describe('a turn of a conversation', () => {
  const plan = planOf(context());
  const issuer: Issuer = {
    providerId: 'provider-1',
    connectionVersion: 1,
    modelId: 'model-1',
    readTokens: 0,
  };
  const refusalOf = (changes: Parameters<typeof ask>[0], made?: Issuer) => {
    const request = ask({ operation: 'responses', ...changes });
    const found = modelNamed(plan, request.model);
    const nowMs = Date.UTC(2026, 10, 21);
    const price = found?.prices[0];
    return checkAccess({ request, nowMs, plan, model: found, price, issuer: made });
  };

  test('that this key may not use is 404, as one that nobody made', () => {
    expect(refusalOf({ conversationId: 'conv_1' })).toEqual({
      code: 'stored_object_not_found',
      message: "Conversation with id 'conv_1' not found.",
    });
    expect(refusalOf({ conversationId: 'conv_1' }, issuer)).toBeUndefined();
  });

  test('stays at the provider of the conversation', () => {
    const elsewhere = { ...issuer, providerId: 'provider-2' };
    expect(refusalOf({ conversationId: 'conv_1' }, elsewhere)).toMatchObject({
      code: 'invalid_request',
      details: { param: 'conversation', reason: 'other_provider' },
    });
  });

  test('names no earlier response beside it, whose owner alone would be asked for', () => {
    const both = { conversationId: 'conv_1', previousResponseId: 'resp_1' };
    expect(refusalOf(both, issuer)).toMatchObject({
      code: 'invalid_request',
      details: { param: 'conversation' },
    });
  });
});
