import type { SettleRequest__Output } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';

import { ask, context, model, settled, sha256, SUBJECT } from '../test-support/contexts';
import { FLOATS, startRig, type Rig } from '../test-support/rig';

// A request that continues a response uses the connection that made it.

describe.each(FLOATS)('with floats $FLOATS', (floats) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(floats);
  });
  afterAll(async () => {
    await rig.stop();
  });

  const SMALL = model({ modelId: 'model-1', name: 'small', connectionVersion: 3 });
  const OTHER = model({ modelId: 'model-2', name: 'other', connectionVersion: 3 });
  const ELSEWHERE = model({ modelId: 'model-3', name: 'elsewhere', providerId: 'provider-2' });

  function key(organisationId: string, changes: Parameters<typeof context>[0] = {}) {
    const keySha256 = sha256(`${organisationId} ${uuidv7()}`);
    const subject = { ...SUBJECT, organisationId };
    rig.catalog.putKey(
      keySha256,
      context({ subject, models: [SMALL, OTHER, ELSEWHERE], ...changes }),
    );
    return keySha256;
  }

  type Changes = Parameters<typeof ask>[0];
  const responses = (keySha256: Buffer, changes: Changes = {}) =>
    rig.authorize(ask({ keySha256, operation: 'responses', family: 'openai', ...changes }));

  /** One answered request with its upstream's response id. */
  async function answered(
    keySha256: Buffer,
    responseId: string,
    changes: Changes = {},
    settle: Partial<SettleRequest__Output> = {},
  ) {
    const request = ask({ keySha256, operation: 'responses', family: 'openai', ...changes });
    const { allow } = await rig.authorize(request);
    if (!allow) throw new Error('refused');
    await rig.settle(settled(request.requestId, allow.holdToken, { responseId, ...settle }));
    return allow;
  }

  test('it is sent to that connection as it was then, although there is a newer one', async () => {
    const before = key('org-a');
    await answered(before, 'resp_a1');
    const newer = key('org-a', {
      models: [model({ connectionVersion: 8 }), model({ ...OTHER, connectionVersion: 8 })],
    });
    const fresh = await responses(newer);
    expect(fresh.allow?.candidates).toMatchObject([{ connectionVersion: 8 }]);
    const { allow } = await responses(newer, { previousResponseId: 'resp_a1' });
    expect(allow?.candidates).toMatchObject([
      { modelId: 'model-1', providerId: 'provider-1', connectionVersion: 3 },
    ]);
  });

  test('its own response is of that connection too', async () => {
    const before = key('org-b');
    await answered(before, 'resp_b1');
    const newer = key('org-b', { models: [model({ connectionVersion: 8 })] });
    await answered(newer, 'resp_b2', { previousResponseId: 'resp_b1' });
    const { allow } = await responses(newer, { previousResponseId: 'resp_b2' });
    expect(allow?.candidates).toMatchObject([{ connectionVersion: 3 }]);
  });

  test('it may name another model of the same provider, or none', async () => {
    const own = key('org-c');
    await answered(own, 'resp_c1');
    const previousResponseId = 'resp_c1';
    const other = await responses(own, { previousResponseId, model: 'other' });
    expect(other.allow?.candidates).toMatchObject([{ modelId: 'model-2', connectionVersion: 3 }]);
    const none = await responses(own, { previousResponseId, model: '' });
    expect(none.allow?.candidates).toMatchObject([{ modelId: 'model-1' }]);
    expect((await responses(own, { model: '' })).denial?.code).toBe('model_not_found');
  });

  test('asked for again, it is answered the same', async () => {
    const own = key('org-d');
    await answered(own, 'resp_d1');
    const request = ask({ keySha256: own, operation: 'responses', previousResponseId: 'resp_d1' });
    const first = await rig.authorize(request);
    const again = await rig.authorize(request);
    expect(again.allow?.candidates).toEqual(first.allow?.candidates);
  });

  test('it is told what its provider reads again, up to the model’s context', async () => {
    const own = key('org-read', {
      models: [SMALL, { ...OTHER, contextTokens: 50, maxOutputTokens: 10 }],
    });
    expect(await answered(own, 'resp_read')).toMatchObject({ readTokens: 0 });
    const previousResponseId = 'resp_read';
    const { allow } = await responses(own, { previousResponseId, inputTokensEstimate: 10 });
    expect(allow?.readTokens).toBe(120);
    const other = await responses(own, { previousResponseId, model: 'other' });
    expect(other.allow?.readTokens).toBe(50);
    const free = { model: '', operation: 'response_retrieve', storedId: 'resp_read' };
    expect((await responses(own, free)).allow?.readTokens).toBe(0);
  });

  describe('it is refused with 400', () => {
    const refusal = async (keySha256: Buffer, changes: Changes) => {
      const { denial } = await responses(keySha256, changes);
      const details: unknown = JSON.parse(denial?.detailsJson || '{}');
      return { code: denial?.code, message: denial?.message, details };
    };
    const unknown = {
      code: 'invalid_request',
      message: expect.stringContaining('previous_response_id'),
      details: { param: 'previous_response_id', reason: 'unknown_response' },
    };

    test('when nobody made such a response, or another organisation did', async () => {
      const own = key('org-e');
      await answered(own, 'resp_e1');
      expect(await refusal(own, { previousResponseId: 'resp_nobody' })).toEqual(unknown);
      const stranger = key('org-f');
      expect(await refusal(stranger, { previousResponseId: 'resp_e1' })).toEqual(unknown);
    });

    test('when the model is of another provider', async () => {
      const own = key('org-g');
      await answered(own, 'resp_g1');
      expect(
        await refusal(own, { previousResponseId: 'resp_g1', model: 'elsewhere' }),
      ).toMatchObject({
        code: 'invalid_request',
        details: { param: 'previous_response_id', reason: 'other_provider' },
      });
    });

    test('when the provider has been switched off', async () => {
      await answered(key('org-h'), 'resp_h1');
      const off = key('org-h', { models: [model({ providerActive: false })] });
      expect(await refusal(off, { previousResponseId: 'resp_h1' })).toMatchObject({
        code: 'provider_misconfigured',
      });
    });

    test('and an invalid key learns nothing of it', async () => {
      await answered(key('org-i'), 'resp_i1');
      const revoked = key('org-i', { active: false });
      expect(await refusal(revoked, { previousResponseId: 'resp_i1' })).toMatchObject({
        code: 'invalid_api_key',
      });
    });
  });

  test('only responses can be continued, and only ones that were answered', async () => {
    const own = key('org-j');
    await answered(own, 'chatcmpl-1', { operation: 'chat' });
    const request = ask({ keySha256: own, operation: 'responses' });
    const { allow } = await rig.authorize(request);
    const holdToken = allow?.holdToken ?? Buffer.alloc(0);
    await rig.settle(
      settled(request.requestId, holdToken, { cancelled: true, responseId: 'resp_j1' }),
    );
    for (const previousResponseId of ['chatcmpl-1', 'resp_j1']) {
      const { denial } = await responses(own, { previousResponseId });
      expect(denial?.code).toBe('invalid_request');
    }
  });

  describe('what is stored', () => {
    const retrieve = { model: '', operation: 'response_retrieve' };
    const keyOf = (organisationId: string, apiKeyType: string, over: object = {}) =>
      key(organisationId, {
        subject: { ...SUBJECT, organisationId, apiKeyType, ...over },
        models: [{ ...SMALL, granted: false }],
      });

    test('is read by keys of its owner and of the organisation, without a grant, and held for nothing', async () => {
      await answered(key('org-k'), 'resp_k1');
      for (const type of ['USER', 'ORGANISATION']) {
        const { allow } = await responses(keyOf('org-k', type), {
          ...retrieve,
          storedId: 'resp_k1',
        });
        expect(allow).toMatchObject({
          heldNanoUsd: '0',
          candidates: [{ modelId: 'model-1', connectionVersion: 3 }],
          pending: null,
        });
      }
    });

    test('is for others as if nobody had made it, read or continued', async () => {
      await answered(key('org-l'), 'resp_l1');
      for (const [type, over] of [
        ['TEAM', {}],
        ['USER', { userId: 'user-2' }],
      ] as const) {
        const other = keyOf('org-l', type, over);
        const theirs = await responses(other, { ...retrieve, storedId: 'resp_l1' });
        const nobodys = await responses(other, { ...retrieve, storedId: 'resp_l0' });
        expect(theirs.denial?.code).toBe('stored_object_not_found');
        expect({ ...theirs.denial, message: '' }).toEqual({ ...nobodys.denial, message: '' });
        expect(theirs.denial?.message).toBe("Response with id 'resp_l1' not found.");
        const [one, none] = await Promise.all(
          ['resp_l1', 'resp_l0'].map((id) => responses(other, { previousResponseId: id })),
        );
        expect(one?.denial).toEqual(none?.denial);
        expect(one?.denial?.code).toBe('invalid_request');
      }
    });

    test('is forgotten when it was deleted, and only then', async () => {
      const own = key('org-m');
      await answered(own, 'resp_m1');
      const deletion = { model: '', operation: 'response_delete', storedId: 'resp_m1' };
      const request = ask({ keySha256: own, family: 'openai', ...deletion });
      const { allow } = await rig.authorize(request);
      const holdToken = allow?.holdToken ?? Buffer.alloc(0);
      await rig.settle(
        settled(request.requestId, holdToken, { cancelled: true, responseId: 'resp_m1' }),
      );
      expect((await responses(own, { ...retrieve, storedId: 'resp_m1' })).allow).toBeTruthy();
      await answered(own, 'resp_m1', deletion);
      const { denial } = await responses(own, { ...retrieve, storedId: 'resp_m1' });
      expect(denial?.code).toBe('stored_object_not_found');
    });

    test('outlives its model while the provider has another one', async () => {
      await answered(key('org-n'), 'resp_n1');
      const later = key('org-n', { models: [OTHER, ELSEWHERE] });
      const { allow } = await responses(later, { ...retrieve, storedId: 'resp_n1' });
      expect(allow?.candidates).toMatchObject([{ modelId: 'model-2', connectionVersion: 3 }]);
    });

    test('a response in the background is found with its hold, until that is settled', async () => {
      const own = key('org-o');
      const turn = { conversationId: 'conv_o1', addedTokens: 30, readTokens: 500 };
      const request = ask({ keySha256: own, operation: 'responses', family: 'openai' });
      const { allow } = await rig.authorize(request);
      const extended = await rig.extend({
        requestId: request.requestId,
        holdToken: allow?.holdToken ?? Buffer.alloc(0),
        modelId: 'model-1',
        addOutputTokens: 0,
        addInputTokens: 0,
        addNanoUsd: '',
        adopt: false,
        responseId: 'resp_o1',
        ...turn,
      });
      expect(extended.granted).toBe(true);
      const seen = await responses(own, { ...retrieve, storedId: 'resp_o1' });
      const { pending } = seen.allow ?? {};
      expect(pending).toMatchObject({
        requestId: request.requestId,
        modelId: 'model-1',
        price: { priceId: 'price-1' },
        ...turn,
      });
      const token = Buffer.isBuffer(pending?.holdToken) ? pending.holdToken : Buffer.alloc(0);
      const reply = await rig.settle(settled(request.requestId, token, { responseId: 'resp_o1' }));
      expect(reply.duplicate).toBe(false);
      const after = await responses(own, { ...retrieve, storedId: 'resp_o1' });
      expect(after.allow?.pending).toBeNull();
    });
  });

  describe('an item that the input refers to', () => {
    const made = { itemIds: ['msg_1', 'fc_1'] };
    const userKey = (organisationId: string, userId = 'user-1', changes: object = {}) =>
      key(organisationId, {
        subject: { ...SUBJECT, organisationId, userId },
        ...changes,
      });

    test('is held for at the connection that made it, for keys of its owner', async () => {
      await answered(userKey('org-v'), 'resp_v1', {}, made);
      const newer = userKey('org-v', 'user-1', { models: [model({ connectionVersion: 8 })] });
      const { allow } = await responses(newer, { itemIds: ['fc_1', 'msg_1'] });
      expect(allow).toMatchObject({ readTokens: 20, candidates: [{ connectionVersion: 3 }] });
      const { allow: both } = await responses(newer, {
        itemIds: ['fc_1'],
        previousResponseId: 'resp_v1',
      });
      expect(both?.readTokens).toBe(140);
      // What is sent again is in the input estimate already, and leaves the connection open.
      const { allow: replayed } = await responses(newer, { replayedItemIds: ['fc_1', 'rs_0'] });
      expect(replayed).toMatchObject({ readTokens: 0, candidates: [{ connectionVersion: 8 }] });
    });

    test('is for others as if nobody had made it', async () => {
      await answered(userKey('org-w'), 'resp_w1', {}, made);
      const other = userKey('org-w', 'user-2');
      const told = async (ids: object) => {
        const { denial } = await responses(other, ids);
        return { code: denial?.code, message: denial?.message, details: denial?.detailsJson };
      };
      const theirs = await told({ itemIds: ['msg_1'] });
      expect(theirs).toEqual({
        code: 'stored_object_not_found',
        message: "Item with id 'msg_1' not found.",
        details: '{"param":"input"}',
      });
      const nobodys = await told({ itemIds: ['msg_0'] });
      expect({ ...nobodys, message: '' }).toEqual({ ...theirs, message: '' });
      expect(await told({ replayedItemIds: ['msg_0', 'msg_1'] })).toEqual(theirs);
      const invalid = userKey('org-w', 'user-2', { active: false });
      const { denial } = await responses(invalid, { itemIds: ['msg_1'] });
      expect(denial?.code).toBe('invalid_api_key');
    });

    test('is refused for a model of another provider', async () => {
      await answered(userKey('org-x'), 'resp_x1', {}, made);
      const { denial } = await responses(userKey('org-x'), { ...made, model: 'elsewhere' });
      expect(denial).toMatchObject({ code: 'invalid_request' });
      expect(denial?.message).toContain('another provider');
    });
  });

  describe('a conversation', () => {
    const create = { model: '', operation: 'conversation_create' };
    const operations = [
      'conversation_retrieve',
      'conversation_update',
      'conversation_delete',
      'conversation_items',
      'conversation_items_create',
      'conversation_item_retrieve',
      'conversation_item_delete',
    ];
    const one = { models: [SMALL, OTHER] };
    const keyOf = (organisationId: string, apiKeyType: string, over: object = {}) =>
      key(organisationId, { subject: { ...SUBJECT, organisationId, apiKeyType, ...over }, ...one });

    test('is made for nothing, and used by keys of its owner and of the organisation', async () => {
      const { heldNanoUsd } = await answered(key('org-p', one), 'conv_p1', create);
      expect(heldNanoUsd).toBe('0');
      for (const type of ['USER', 'ORGANISATION']) {
        const user = keyOf('org-p', type);
        for (const operation of operations) {
          const asked = { model: '', operation, storedId: 'conv_p1' };
          const { allow } = await responses(user, asked);
          expect(allow).toMatchObject({
            heldNanoUsd: '0',
            candidates: [{ providerId: 'provider-1', connectionVersion: 3 }],
          });
        }
        const turn = await responses(user, { model: 'other', conversationId: 'conv_p1' });
        expect(turn.allow?.candidates).toMatchObject([
          { modelId: 'model-2', connectionVersion: 3 },
        ]);
      }
    });

    test('is for others as if nobody had made it, whatever they ask', async () => {
      await answered(key('org-q', one), 'conv_q1', create);
      for (const [type, over] of [
        ['TEAM', {}],
        ['USER', { userId: 'user-2' }],
      ] as const) {
        const other = keyOf('org-q', type, over);
        const told = async (operation: string, id: string) => {
          const asked =
            operation === 'responses'
              ? { operation, conversationId: id }
              : { operation, model: '', storedId: id };
          const { denial } = await responses(other, asked);
          return { ...denial, message: denial?.message.replace(id, 'ID') };
        };
        for (const operation of [...operations, 'responses']) {
          const theirs = await told(operation, 'conv_q1');
          expect(theirs.code).toBe('stored_object_not_found');
          expect(theirs.message).toBe("Conversation with id 'ID' not found.");
          expect(theirs).toEqual(await told(operation, 'conv_q0'));
        }
      }
    });

    test('is forgotten when it was deleted', async () => {
      const own = key('org-r', one);
      await answered(own, 'conv_r1', create);
      const deletion = { model: '', operation: 'conversation_delete', storedId: 'conv_r1' };
      await answered(own, 'conv_r1', deletion);
      const { denial } = await responses(own, { conversationId: 'conv_r1' });
      expect(denial?.code).toBe('stored_object_not_found');
    });

    test('keeps what it has come to when the settle that made it is sent again', async () => {
      const own = key('org-u', one);
      const made = ask({ keySha256: own, family: 'openai', ...create });
      const { allow } = await rig.authorize(made);
      const settle = settled(made.requestId, allow?.holdToken ?? Buffer.alloc(0), {
        responseId: 'conv_u1',
        usage: null,
      });
      await rig.settle(settle);
      await answered(own, '', {}, { conversationId: 'conv_u1' });
      expect((await rig.settle(settle)).duplicate).toBe(true);
      const turn = await responses(own, { conversationId: 'conv_u1' });
      expect(turn.allow?.readTokens).toBe(120);
    });

    test('holds added items for follow-ups from the moment that they are allowed', async () => {
      const own = key('org-t', one);
      await answered(own, 'conv_t1', create, { usage: null });
      const items = { model: '', operation: 'conversation_items_create', storedId: 'conv_t1' };
      const adding = ask({ keySha256: own, family: 'openai', ...items, addedTokens: 25_000 });
      const { allow } = await rig.authorize(adding);
      expect(allow?.addedTokens).toBe(25_000);
      // Asked for again, it is the same request.
      const again = await rig.authorize({ ...adding, resent: true });
      expect(again.allow?.addedTokens).toBe(0);
      const before = await responses(own, { conversationId: 'conv_t1' });
      expect(before.allow?.readTokens).toBe(25_000);
      const holdToken = allow?.holdToken ?? Buffer.alloc(0);
      const turn = { conversationId: 'conv_t1', addedTokens: 25_000, assumedTokens: 25_000 };
      await rig.settle(settled(adding.requestId, holdToken, { ...turn, usage: null }));
      const after = await responses(own, { conversationId: 'conv_t1' });
      expect(after.allow?.readTokens).toBe(25_000);
    });

    test('takes back once what cancelled items added, however often the settle is sent', async () => {
      const own = key('org-v', one);
      await answered(own, 'conv_v1', create, { usage: null });
      const items = { model: '', operation: 'conversation_items_create', storedId: 'conv_v1' };
      const add = async () => {
        const adding = ask({ keySha256: own, family: 'openai', ...items, addedTokens: 25_000 });
        const { allow } = await rig.authorize(adding);
        return { adding, holdToken: allow?.holdToken ?? Buffer.alloc(0) };
      };
      const [cancelled] = [await add(), await add()];
      const settle = settled(cancelled.adding.requestId, cancelled.holdToken, {
        cancelled: true,
        conversationId: 'conv_v1',
        assumedTokens: 25_000,
      });
      await rig.settle(settle);
      expect((await rig.settle(settle)).duplicate).toBe(true);
      const { allow } = await responses(own, { conversationId: 'conv_v1' });
      expect(allow?.readTokens).toBe(25_000);
    });

    test('is made at the provider of the model that is named, where there are several', async () => {
      const own = key('org-s');
      const { denial } = await responses(own, create);
      expect(denial?.code).toBe('invalid_request');
      const named = await responses(own, { ...create, model: 'elsewhere' });
      expect(named.allow?.candidates).toMatchObject([{ providerId: 'provider-2' }]);
    });
  });
});
