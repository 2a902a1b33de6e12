import type { Issuer, Store } from '.';
import { CONVERSATION_TOKENS_MAX } from './scripts/issuers';
import { onEveryBackend, type Bench } from './test-support/backends';
import { NOW, openShard } from './test-support/requests';

// Which connection made a response: kept for 30 days, bounded, each organisation's for itself.

const DAY_MS = 86_400_000;
const issuer = (connectionVersion = 1): Issuer => ({
  providerId: 'provider-1',
  connectionVersion,
  modelId: 'model-1',
  readTokens: 0,
});

onEveryBackend((bench: () => Bench) => {
  let store: Store;
  beforeAll(async () => {
    store = await bench().store({ issuersMax: 3 });
  });
  const organisation = async (organisationId = 'org-1') => {
    const s = await openShard(bench(), store);
    const ref = (responseId: string) => ({ shard: s.shard, organisationId, responseId });
    return {
      at: (ms: number) => s.at(ms),
      keep: (id: string, version?: number, over: Partial<Issuer> = {}, grows = false) =>
        store.rememberIssuer(ref(id), { issuer: { ...issuer(version), ...over }, grows }),
      grow: (id: string, addedTokens: number, totalTokens: number) =>
        store.growIssuer(ref(id), { addedTokens, totalTokens }),
      keepWith: (id: string, items: string[], outputTokens: number, version = 1) =>
        store.rememberIssuer(ref(id), { issuer: issuer(version), items, outputTokens }),
      items: (...ids: string[]) => store.recallItems({ shard: s.shard, organisationId }, ids),
      forget: (id: string) => store.forgetIssuer(ref(id)),
      find: (id: string, renew = false) => store.recallIssuer(ref(id), renew),
      shard: s.shard,
    };
  };

  test('a response is found by its id, whatever the id looks like', async () => {
    const org = await organisation();
    for (const id of ['resp_1', 'with spaces', 'ünï', 'x'.repeat(5_000)]) {
      await org.keep(id, 7);
      expect(await org.find(id)).toEqual(issuer(7));
    }
    expect(await org.find('resp_2')).toBeNull();
  });

  test('turns add up, and a turn that has read more says how much there is', async () => {
    const org = await organisation();
    await org.keep('conv_1');
    await Promise.all([org.grow('conv_1', 30, 0), org.grow('conv_1', 20, 45)]);
    expect(await org.find('conv_1')).toEqual({ ...issuer(), readTokens: 50 });
    await org.grow('conv_1', 10, 500);
    expect(await org.find('conv_1')).toEqual({ ...issuer(), readTokens: 500 });
    await org.grow('conv_1', -100, 300);
    expect(await org.find('conv_1')).toEqual({ ...issuer(), readTokens: 400 });
    await org.grow('conv_1', -200, 300);
    expect(await org.find('conv_1')).toEqual({ ...issuer(), readTokens: 300 });
    await org.keep('conv_1');
    expect(await org.find('conv_1')).toEqual(issuer());
  });

  test('a pending response is found with what its settle will say; rows of before say nothing', async () => {
    const org = await organisation();
    const counted = { addedTokens: 30, readTokens: 500, assumedTokens: 20, earlierNanoUsd: '1200' };
    const turn = { conversationId: 'conv_1', ...counted };
    const owner = { type: 'USER', id: 'user-1' };
    const hold = { requestId: 'request-1', holdToken: Buffer.from('token') };
    const nothingEarlier = { ...turn, conversationId: '', earlierNanoUsd: '' };
    for (const each of [turn, nothingEarlier]) {
      const pending = { ...hold, turn: each };
      await org.keep('resp_1', 1, { owner, pending });
      expect(await org.find('resp_1')).toEqual({ ...issuer(), owner, pending });
    }
    const row = `provider-1 1 model-1 USER user-1 request-1 ${hold.holdToken.toString('base64url')}`;
    const rows = `{s${String(org.shard)}}:i:org-1`;
    const [digest = ''] = (await bench().raw('HKEYS', rows)) as string[];
    await bench().raw('HSET', rows, digest, row);
    expect((await org.find('resp_1'))?.pending).toEqual({
      ...hold,
      turn: {
        conversationId: '',
        addedTokens: 0,
        readTokens: 0,
        assumedTokens: 0,
        earlierNanoUsd: '',
      },
    });
  });

  test('a conversation that is made again keeps what it has come to, a response does not', async () => {
    const org = await organisation();
    const readTokens = 10;
    await org.keep('conv_1', 1, { readTokens }, true);
    await org.grow('conv_1', 90, 0);
    await org.keep('conv_1', 1, { readTokens }, true);
    expect(await org.find('conv_1')).toEqual({ ...issuer(), readTokens: 100 });
    await org.keep('resp_1', 1, { readTokens: 500 });
    await org.keep('resp_1', 1, { readTokens });
    expect(await org.find('resp_1')).toEqual({ ...issuer(), readTokens });
  });

  test('a conversation grows up to a bound', async () => {
    const org = await organisation();
    await org.keep('conv_1');
    await org.grow('conv_1', CONVERSATION_TOKENS_MAX, 0);
    await org.grow('conv_1', 1, 0);
    expect(await org.find('conv_1')).toEqual({
      ...issuer(),
      readTokens: CONVERSATION_TOKENS_MAX,
    });
  });

  test('output items are found with their response, and go with it', async () => {
    const org = await organisation();
    await org.keepWith('resp_1', ['msg_1', 'fc_1'], 30, 7);
    await org.keepWith('resp_2', ['msg_2'], 5);
    const one = { issuer: issuer(7), outputTokens: 30 };
    const two = { issuer: issuer(), outputTokens: 5 };
    const found = await org.items('fc_1', 'msg_0', 'msg_2', 'msg_1');
    expect(found).toEqual([one, null, two, one]);
    expect(found[0]).toBe(found[3]);
    // Sent again without its items, it keeps them; with others, it has those.
    await org.keep('resp_1', 7);
    expect(await org.items('fc_1')).toEqual([one]);
    await org.keepWith('resp_1', ['msg_9'], 30, 7);
    expect(await org.items('fc_1', 'msg_9')).toEqual([null, one]);
    // No other response takes an item, also when its settle is sent again or when it is forgotten.
    for (let sent = 0; sent < 2; sent += 1) {
      await org.keepWith('resp_2', ['msg_2', 'msg_9'], 5);
      expect(await org.items('msg_9')).toEqual([one]);
    }
    await org.forget('resp_2');
    expect(await org.items('msg_2', 'msg_9')).toEqual([null, one]);
    await org.keepWith('resp_2', ['msg_2'], 5);
    await org.forget('resp_1');
    expect(await org.items('msg_9')).toEqual([null]);
    for (const id of ['resp_3', 'resp_4', 'resp_5']) await org.keepWith(id, [`of_${id}`], 1);
    expect(await org.items('msg_2', 'of_resp_5')).toEqual([null, { ...two, outputTokens: 1 }]);
    await org.at(NOW + 31 * DAY_MS);
    expect(await org.items('of_resp_5')).toEqual([null]);
  });

  test('an unknown conversation does not grow, and one that is forgotten leaves nothing', async () => {
    const org = await organisation();
    await org.grow('conv_1', 10, 10);
    expect(await org.find('conv_1')).toBeNull();
    await org.keep('conv_2');
    await org.grow('conv_2', 10, 10);
    await org.forget('conv_2');
    expect(await bench().raw('EXISTS', `{s${String(org.shard)}}:i:org-1`)).toBe(0);
  });

  test('another organisation does not find it', async () => {
    const org = await organisation();
    await org.keep('resp_1');
    const other = { shard: org.shard, organisationId: 'org-2', responseId: 'resp_1' };
    expect(await store.recallIssuer(other)).toBeNull();
  });

  test('it is forgotten after 30 days, and a repeated settle keeps it longer', async () => {
    const org = await organisation();
    await org.keep('resp_1');
    await org.keep('resp_2');
    await org.at(NOW + 20 * DAY_MS);
    await org.keep('resp_2', 2);
    await org.at(NOW + 30 * DAY_MS - 1);
    expect(await org.find('resp_1')).toEqual(issuer());
    await org.at(NOW + 30 * DAY_MS);
    expect(await org.find('resp_1')).toBeNull();
    expect(await org.find('resp_2')).toEqual(issuer(2));
  });

  test('one that is renewed by its use is kept 30 days more', async () => {
    const org = await organisation();
    for (const id of ['conv_1', 'conv_2']) await org.keep(id);
    await org.at(NOW + 29 * DAY_MS);
    expect(await org.find('conv_1', true)).toEqual(issuer());
    expect(await org.find('conv_2')).toEqual(issuer());
    expect(await org.find('conv_3', true)).toBeNull();
    await org.at(NOW + 58 * DAY_MS);
    expect(await org.find('conv_1')).toEqual(issuer());
    expect(await org.find('conv_2')).toBeNull();
    expect(await org.find('conv_3')).toBeNull();
    const leftMs = Number(await bench().raw('PTTL', `{s${String(org.shard)}}:i:org-1`));
    expect(leftMs).toBeGreaterThan(29 * DAY_MS);
  });

  test('beyond the bound the oldest are forgotten, and what is over leaves first', async () => {
    const org = await organisation();
    for (const [n, id] of ['a', 'b', 'c', 'd'].entries()) {
      await org.at(NOW + n);
      await org.keep(id);
    }
    expect(await org.find('a')).toBeNull();
    for (const id of ['b', 'c', 'd']) expect(await org.find(id)).toEqual(issuer());
    await org.at(NOW + 40 * DAY_MS);
    await org.keep('e');
    const size = await bench().raw('HLEN', `{s${String(org.shard)}}:i:org-1`);
    expect(Number(size)).toBe(1);
  });

  test('what nobody adds to leaves the store by itself', async () => {
    const org = await organisation();
    await org.keep('resp_1');
    for (const kind of ['i', 'ie']) {
      const leftMs = Number(await bench().raw('PTTL', `{s${String(org.shard)}}:${kind}:org-1`));
      expect(leftMs).toBeGreaterThan(29 * DAY_MS);
      expect(leftMs).toBeLessThanOrEqual(30 * DAY_MS);
    }
  });
});
