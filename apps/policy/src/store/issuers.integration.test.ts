import { type Bench, onEveryBackend } from './test-support/backends';
import { NOW, openShard } from './test-support/requests';
import type { Issuer, Store } from '.';

// Which connection made a response: kept for 30 days, bounded, each organisation's for itself.

const DAY_MS = 86_400_000;
const issuer = (connectionVersion = 1): Issuer => ({
  providerId: 'provider-1',
  connectionVersion,
  modelId: 'model-1',
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
      keep: (id: string, version?: number) => store.rememberIssuer(ref(id), issuer(version)),
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
