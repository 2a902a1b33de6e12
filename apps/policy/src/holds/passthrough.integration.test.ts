import type { AuthorizeReply__Output } from '@tollgate/contracts/node';
import { callUnary } from '@tollgate/kit';

import {
  context,
  limit,
  model,
  passthroughAsk,
  passthroughProvider,
  screeningEntry,
  settled,
  sha256,
  SUBJECT,
} from '../test-support/contexts';
import { eventually, FLOATS, startRig, type Rig } from '../test-support/rig';

// Requests that go to a provider as they are: what they may call, hold and cost.

/** One cent, 500 bytes in, at most 1,000 bytes out at $1 per megabyte. */
const HELD = '11500000';

describe.each(FLOATS)('with floats $FLOATS', (floats) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(floats);
  });
  afterAll(async () => {
    await rig.stop();
  });

  let keys = 0;

  /** A key of an organisation of its own that may call the provider. */
  function newKey(
    changes: Parameters<typeof context>[0] = {},
    limits: readonly ReturnType<typeof limit>[] = [],
  ) {
    keys += 1;
    const organisationId = `org-pass-${keys}`;
    const apiKeyId = `key-pass-${keys}`;
    const keySha256 = sha256(apiKeyId);
    const own = limits.map((one) => ({
      ...one,
      limitId: `${one.limitId}-${apiKeyId}`,
      scopeId: one.scopeType === 'ORGANISATION' ? organisationId : one.scopeId,
    }));
    rig.catalog.putKey(
      keySha256,
      context({
        subject: { ...SUBJECT, organisationId, apiKeyId },
        passthrough: [passthroughProvider()],
        passthroughProviderIds: ['provider-1'],
        limits: own,
        ...changes,
      }),
    );
    return { keySha256, limitIds: own.map(({ limitId }) => limitId) };
  }

  const tokenOf = ({ allow }: AuthorizeReply__Output): Buffer =>
    allow?.holdToken ?? Buffer.alloc(0);

  async function booked(requestId: string) {
    return eventually('booked', () => {
      const found = rig.catalog.books.records.get(requestId);
      if (found === undefined) throw new Error('no record');
      return found;
    });
  }

  test('a call holds its price and the most bytes, and its record names the rule', async () => {
    const { keySha256, limitIds } = newKey({}, [limit()]);
    const request = passthroughAsk({}, { keySha256 });
    const reply = await rig.authorize(request);
    expect(reply.allow).toMatchObject({
      heldNanoUsd: HELD,
      candidates: [],
      mcp: null,
      passthrough: {
        providerId: 'provider-1',
        providerName: 'voices',
        connectionVersion: 3,
        rule: { method: 'POST', path: '/v1/voices/*', maxRequestBytes: 2_000 },
      },
      limits: [{ limitId: limitIds[0], held: HELD }],
    });
    const settle = settled(request.requestId, tokenOf(reply), {
      usage: null,
      modelId: '',
      priceId: '',
      costNanoUsd: '10700000',
      units: { request_byte: '500', response_byte: '200' },
    });
    expect(await rig.settle(settle)).toMatchObject({ duplicate: false });
    expect(await booked(request.requestId)).toMatchObject({
      operation: 'passthrough',
      route: 'POST /v1/passthrough/:provider/v1/voices/*',
      modelId: '',
      providerId: 'provider-1',
      heldNanoUsd: HELD,
      settle: { costNanoUsd: '10700000', units: { request_byte: '500', response_byte: '200' } },
    });
  });

  test('a body of unknown length is held at the most that the rule allows', async () => {
    const { keySha256 } = newKey();
    const reply = await rig.authorize(
      passthroughAsk({ requestBytes: 0, unknownLength: true }, { keySha256 }),
    );
    expect(reply.allow?.heldNanoUsd).toBe('13000000');
  });

  test('200 calls at once on a budget for 20: 20 are allowed', async () => {
    const budget = limit({ limit: String(BigInt(HELD) * 20n + 1n) });
    const { keySha256 } = newKey({}, [budget]);
    const replies = await Promise.all(
      Array.from({ length: 200 }, () => rig.authorize(passthroughAsk({}, { keySha256 }))),
    );
    expect(replies.filter(({ allow }) => allow)).toHaveLength(20);
    const denied = replies.find(({ denial }) => denial);
    expect(denied?.denial).toMatchObject({ code: 'budget_exceeded' });
  });

  test.each([
    ['REQUESTS', { kind: 'QUOTA', metric: 'REQUESTS' }, 'quota_exceeded'],
    ['the rate', { kind: 'RATE_REQUESTS', metric: '', period: '' }, 'rate_limit_exceeded'],
    [
      'concurrent requests',
      { kind: 'RATE_CONCURRENT', metric: '', period: '' },
      'rate_limit_exceeded',
    ],
  ])('%s of a key counts a free call', async (_, changes, code) => {
    const keyed = { scopeType: 'API_KEY', scopeId: `key-pass-${keys + 1}` };
    const { keySha256 } = newKey({}, [limit({ limitId: 'own', limit: '1', ...changes, ...keyed })]);
    const free = { method: 'GET', requestBytes: 0 };
    expect((await rig.authorize(passthroughAsk(free, { keySha256 }))).allow).toBeTruthy();
    const refused = await rig.authorize(passthroughAsk(free, { keySha256 }));
    expect(refused.denial).toMatchObject({ code });
  });

  test('a quota of tokens and a limit of a model do not count it', async () => {
    const limits = [
      limit({ limitId: 'tokens', kind: 'QUOTA', metric: 'TOKENS', limit: '0' }),
      limit({ limitId: 'model', scopeType: 'MODEL', scopeId: 'model-1', limit: '0' }),
    ];
    const { keySha256 } = newKey({}, limits);
    expect((await rig.authorize(passthroughAsk({}, { keySha256 }))).allow).toBeTruthy();
  });

  test('a repeated request gets the same hold', async () => {
    const { keySha256 } = newKey();
    const request = passthroughAsk({}, { keySha256 });
    await rig.authorize(request);
    expect((await rig.authorize(request)).allow).toMatchObject({
      heldNanoUsd: HELD,
      passthrough: { providerId: 'provider-1' },
    });
  });

  const refused = async (
    changes: Parameters<typeof context>[0],
    call: Parameters<typeof passthroughAsk>[0] = {},
  ) => {
    const { keySha256 } = newKey(changes);
    const { denial } = await rig.authorize(passthroughAsk(call, { keySha256 }));
    return { code: denial?.code, details: JSON.parse(denial?.detailsJson || '{}') as unknown };
  };

  test.each([
    ['no grant', { passthroughProviderIds: [] }],
    ['a grant of another provider', { passthroughProviderIds: ['provider-2'] }],
    ['no rules', { passthrough: [] }],
  ])('%s: refused like a provider that does not exist', async (_, changes) => {
    const unknown = await refused({}, { provider: 'other' });
    expect(unknown).toEqual({ code: 'passthrough_denied', details: { provider: 'other' } });
    expect(await refused(changes)).toEqual({
      code: 'passthrough_denied',
      details: { provider: 'voices' },
    });
  });

  test.each([
    ['another method', { method: 'DELETE' }],
    ['another path', { path: '/v1/admin' }],
    ['a deeper path', { path: '/v1/voices/anna/samples' }],
  ])('%s is refused', async (_, call) => {
    expect(await refused({}, call)).toMatchObject({
      code: 'passthrough_denied',
      details: { reason: 'no_rule' },
    });
  });

  test('a body beyond the rule is refused before anything is held', async () => {
    expect(await refused({}, { requestBytes: 2_001 })).toEqual({
      code: 'invalid_request',
      details: { limitBytes: 2_000 },
    });
  });

  test('the id of the provider names it too', async () => {
    const { keySha256 } = newKey();
    const reply = await rig.authorize(passthroughAsk({ provider: 'provider-1' }, { keySha256 }));
    expect(reply.allow?.passthrough?.providerName).toBe('voices');
  });

  test('a key with a screening policy is refused, and so is one whose provider has a screened model', async () => {
    const ofKey = screeningEntry('policy', ['TEAM', SUBJECT.teamId]);
    expect(await refused({ screening: [ofKey] })).toMatchObject({
      code: 'passthrough_denied',
      details: { reason: 'screening' },
    });
    const ofModel = screeningEntry('policy', ['MODEL', 'model-1']);
    expect(await refused({ screening: [ofModel] })).toMatchObject({
      details: { reason: 'screening' },
    });
    const elsewhere = { models: [model({ providerId: 'provider-2' })], screening: [ofModel] };
    expect(await refused(elsewhere)).toEqual({ code: undefined, details: {} });
  });

  test('the region of the provider must be allowed', async () => {
    const allowedRegions = [{ scopeType: 'API_KEY', regions: ['eu'] }];
    expect(await refused({ allowedRegions })).toMatchObject({
      code: 'region_not_allowed',
      details: { provider: 'voices', region: null },
    });
    const inside = [passthroughProvider({ region: 'eu' })];
    expect((await refused({ allowedRegions, passthrough: inside })).code).toBeUndefined();
  });

  test.each([
    ['passthrough.path', { path: '/v1/../admin' }],
    ['passthrough.path', { path: '/v1/%76oices' }],
    ['passthrough.method', { method: 'TRACE' }],
  ])('%s that the edge would not send is an error of the caller: %j', async (field, call) => {
    const { keySha256 } = newKey();
    await expect(rig.authorize(passthroughAsk(call, { keySha256 }))).rejects.toThrow(field);
  });

  test('a call whose edge is lost is charged what it held', async () => {
    const { client } = await rig.another({ LEASE_MS: '300', LEASE_GRACE_MS: '100' });
    const { keySha256 } = newKey({}, [limit()]);
    const request = passthroughAsk({}, { keySha256 });
    await callUnary(client, 'authorize', request, { deadlineMs: 15_000 });
    expect(await booked(request.requestId)).toMatchObject({
      mode: 'ABANDONED',
      providerId: 'provider-1',
      route: 'POST /v1/passthrough/:provider/v1/voices/*',
      settle: {
        costNanoUsd: HELD,
        units: { request_byte: '500', response_byte: '1000' },
        requestBytes: 500,
        responseBytes: 1_000,
      },
    });
  });
});
