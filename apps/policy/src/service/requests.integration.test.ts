import {
  PolicyClient,
  type SessionItem,
  type SessionReply__Output,
  type SessionResult__Output,
} from '@tollgate/contracts/node';
import { callUnary, createGrpcClient, grpcChannel, openStream } from '@tollgate/kit';

import {
  ask,
  context,
  KEY,
  limit,
  model,
  price,
  serverTool,
  settled,
  SUBJECT,
} from '../test-support/contexts';
import { eventually, startRig, type Rig } from '../test-support/rig';

const TOKENS = 'edge=edge-token-0123456789,policy=policy-token-0123456789,ops=ops-token-0123456789';
const CALL = { deadlineMs: 15_000 };

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({ CHECKPOINT_INTERVAL_MS: '200' });
  rig.catalog.putKey(KEY, context({ limits: [limit()], mcpServerIds: ['mcp-1'] }));
});
afterAll(async () => {
  await rig.stop();
});

describe('one request', () => {
  test('is held, settled once and booked once', async () => {
    const request = ask({ route: '/v1/chat/completions', clientRequestId: 'mine' });
    const { allow, denial } = await rig.authorize(request);
    expect(denial ?? null).toBeNull();
    expect(allow).toMatchObject({
      heldNanoUsd: '200000',
      subject: SUBJECT,
      clamped: false,
      leaseMs: 60_000,
      candidates: [
        {
          modelId: 'model-1',
          upstreamModel: 'upstream-small',
          connectionVersion: 1,
          maxOutputTokens: 50,
          outputInSteps: false,
          price: { priceId: 'price-1' },
        },
      ],
      limits: [{ limitId: 'limit-1', settled: '0', held: '200000' }],
    });
    const holdToken = allow?.holdToken ?? Buffer.alloc(0);
    const first = await rig.settle(settled(request.requestId, holdToken));
    expect(first).toMatchObject({ duplicate: false, seq: 1 });
    expect(first.limits).toMatchObject([{ settled: '140000', held: '0' }]);
    const again = await rig.settle(settled(request.requestId, holdToken));
    expect(again).toMatchObject({ duplicate: true, seq: 1 });
    const entry = await eventually('booked', () => {
      const found = rig.catalog.books.records.get(request.requestId);
      if (found === undefined) throw new Error('no record');
      return found;
    });
    expect(entry).toMatchObject({
      mode: 'SETTLED',
      seq: 1,
      subject: SUBJECT,
      modelName: 'small',
      providerId: 'provider-1',
      operation: 'chat',
      route: '/v1/chat/completions',
      clientRequestId: 'mine',
      heldNanoUsd: '200000',
      inputTokensEstimate: 100,
      estimateShortfallNanoUsd: '0',
      touched: [{ limitId: 'limit-1', amount: '140000' }],
      settle: { outcome: 'COMPLETED', usage: { input: 100, output: 20 }, costNanoUsd: '140000' },
    });
    expect(entry.settle?.holdToken).toHaveLength(0);
    expect(rig.catalog.books.records.size).toBe(1);
    expect(rig.catalog.books.total('limit-1', Date.now())).toBe(140_000n);
  });

  test('that costs more than was held is booked, and the difference is shown', async () => {
    const request = ask();
    const { allow } = await rig.authorize(request);
    const costly = settled(request.requestId, allow?.holdToken ?? Buffer.alloc(0), {
      costNanoUsd: '250000',
    });
    await rig.settle(costly);
    await eventually('booked', () => {
      const entry = rig.catalog.books.records.get(request.requestId);
      expect(entry?.estimateShortfallNanoUsd).toBe('50000');
    });
  });

  test('of images or audio holds its units’ price and books what was made', async () => {
    const keySha256 = Buffer.alloc(32, 11);
    const priced = price({
      perUnitNanoUsd: {
        image: '40000000',
        image_high_1024x1024: '170000000',
        audio_second: '100000',
      },
    });
    const draws = model({ type: 'image', defaultMaxOutputTokens: 0, prices: [priced] });
    const subject = { ...SUBJECT, organisationId: 'org-units' };
    const money = limit({ limitId: 'money', scopeId: 'org-units' });
    const cost = limit({ limitId: 'cost', kind: 'QUOTA', scopeId: 'org-units' });
    rig.catalog.putKey(keySha256, context({ subject, models: [draws], limits: [money, cost] }));
    const request = ask({
      keySha256,
      operation: 'image_generation',
      maxOutputTokens: 0,
      unitsEstimate: { image_high_1024x1024: 2, image_low_256x256: 1, audio_second: 3 },
    });
    const { allow } = await rig.authorize(request);
    // 100 × 1,000 + 2 × 170,000,000 + 40,000,000 (no price of its own) + 3 × 100,000
    expect(allow).toMatchObject({
      heldNanoUsd: '380400000',
      limits: [{ held: '380400000' }, { held: '380400000' }],
      candidates: [{ price: { perUnitNanoUsd: { image_high_1024x1024: '170000000' } } }],
    });
    const units = { image_high_1024x1024: '2', audio_second: '2.5' };
    await rig.settle(
      settled(request.requestId, allow?.holdToken ?? Buffer.alloc(0), {
        units,
        costNanoUsd: '340250000',
      }),
    );
    await eventually('booked', () => {
      expect(rig.catalog.books.records.get(request.requestId)?.settle?.units).toEqual(units);
    });
    expect(rig.catalog.books.total('cost', Date.now())).toBe(340_250_000n);
  });

  test('of a model without a price is refused where money is counted, and holds nothing', async () => {
    const keySha256 = Buffer.alloc(32, 12);
    const subject = { ...SUBJECT, organisationId: 'org-unpriced' };
    const unpriced = model({ prices: [] });
    const budget = limit({ limitId: 'unpriced', scopeId: 'org-unpriced' });
    const tokens = limit({
      limitId: 'tokens',
      kind: 'QUOTA',
      metric: 'TOKENS',
      scopeId: 'org-unpriced',
    });
    const both = [budget, tokens];
    rig.catalog.putKey(keySha256, context({ subject, models: [unpriced], limits: both }));
    const { allow, denial } = await rig.authorize(ask({ keySha256 }));
    expect(allow ?? null).toBeNull();
    expect(denial).toMatchObject({ code: 'provider_misconfigured' });
    expect(denial?.message).toContain('has no price in effect');

    const counted = Buffer.alloc(32, 13);
    rig.catalog.putKey(counted, context({ subject, models: [unpriced], limits: [tokens] }));
    const request = ask({ keySha256: counted });
    const { allow: free } = await rig.authorize(request);
    // The refusal took nothing of the quota.
    expect(free).toMatchObject({ heldNanoUsd: '0', limits: [{ limitId: 'tokens', settled: '0' }] });
    expect(free?.limits[0]?.held).toBe('150');
    await rig.settle(settled(request.requestId, free?.holdToken ?? Buffer.alloc(0)));
  });

  test('of a stream holds a step at a time, and more when it asks', async () => {
    const key = Buffer.alloc(32, 7);
    const long = model({ defaultMaxOutputTokens: 4_000 });
    const budget = limit({
      limitId: 'stream',
      limit: '5000000',
      scopeType: 'USER',
      scopeId: 'user-s',
    });
    const subject = { ...SUBJECT, userId: 'user-s' };
    rig.catalog.putKey(key, context({ subject, models: [long], limits: [budget] }));
    const request = ask({ keySha256: key, stream: true, maxOutputTokens: 0 });
    const { allow } = await rig.authorize(request);
    // 100 × 1,000 + 1,024 × 2,000
    expect(allow?.heldNanoUsd).toBe('2148000');
    expect(allow?.candidates[0]).toMatchObject({
      outputInSteps: true,
      heldOutputTokens: 1_024,
      outputStepTokens: 1_024,
    });
    const step = (holdToken: Buffer) =>
      callUnary(
        rig.client,
        'extend',
        { requestId: request.requestId, holdToken, modelId: 'model-1', addOutputTokens: 1_024 },
        CALL,
      );
    const second = await step(allow?.holdToken ?? Buffer.alloc(0));
    expect(second.granted).toBe(true);
    const third = await step(second.holdToken);
    expect(third).toMatchObject({
      granted: false,
      gone: false,
      denial: { code: 'budget_exceeded' },
    });
    const { limits } = await rig.settle(
      settled(request.requestId, second.holdToken, { costNanoUsd: '4000000' }),
    );
    expect(limits).toMatchObject([{ settled: '4000000', held: '0' }]);
    const gone = await step(second.holdToken);
    expect(gone).toMatchObject({ granted: false, gone: true });
  });

  test('with a field that cannot be is INVALID_ARGUMENT, by the field’s name', async () => {
    const { requestId } = ask();
    const tier = (name: string) => ({ name, param: 'service_tier', upstreams: [] });
    const wrong = [
      [ask({ requestId: 'x' }), 'request_id'],
      [ask({ keySha256: Buffer.alloc(3) }), 'key_sha256'],
      [ask({ inputTokensEstimate: -1 }), 'input_tokens_estimate'],
      [ask({ choices: 5_000 }), 'choices'],
      [ask({ audioInputTokensEstimate: 101 }), 'audio_input_tokens_estimate'],
      [ask({ family: 'nobody' }), 'family'],
      [ask({ unitsEstimate: { 'no unit': 1 } }), 'units_estimate'],
      [ask({ serverTools: [serverTool({ unit: 'no unit' })] }), 'server_tools.unit'],
      [ask({ serverTools: [serverTool({ maxCalls: -1 })] }), 'server_tools.max_calls'],
      [ask({ serverTools: Array.from({ length: 129 }, () => serverTool()) }), 'server_tools'],
      [ask({ serviceTiers: [tier('no tier')] }), 'service_tiers.name'],
      [ask({ serviceTiers: Array.from({ length: 9 }, () => tier('flex')) }), 'service_tiers'],
    ] as const;
    for (const [request, field] of wrong) {
      await expect(rig.authorize(request)).rejects.toThrow(
        new RegExp(`3 INVALID_ARGUMENT: ${field}`),
      );
    }
    await expect(rig.settle(settled(requestId, Buffer.alloc(40)))).rejects.toThrow('hold_token');
    await expect(
      rig.settle(settled(requestId, Buffer.alloc(40), { costNanoUsd: '-1' })),
    ).rejects.toThrow('cost_nano_usd');
    await expect(
      rig.settle(settled(requestId, Buffer.alloc(40), { serviceTier: 'priority,flex' })),
    ).rejects.toThrow('service_tier');
    for (const quantity of ['-1', '1e3', '1.0000000001', '']) {
      const units = { audio_second: quantity };
      await expect(rig.settle(settled(requestId, Buffer.alloc(40), { units }))).rejects.toThrow(
        'units.audio_second',
      );
    }
  });
});

describe('a key', () => {
  test('is told whose it is, what it may use and what is left', async () => {
    const reply = await callUnary(rig.client, 'validateKey', { keySha256: KEY }, CALL);
    expect(reply).toMatchObject({
      valid: true,
      subject: SUBJECT,
      models: [
        {
          name: 'small',
          displayName: 'small',
          provider: 'provider_a',
          contextTokens: 100_000,
          inputTokenLimit: 100_000,
          outputTokenLimit: 500,
        },
      ],
      mcpServerIds: ['mcp-1'],
      limits: [{ limitId: 'limit-1', limit: '1000000000' }],
    });
    expect(Number(reply.limits[0]?.settled)).toBeGreaterThanOrEqual(140_000);
  });

  test('is told what its models are called and how much they can answer', async () => {
    const keySha256 = Buffer.alloc(32, 14);
    const subject = { ...SUBJECT, organisationId: 'org-names' };
    const models = [model({ displayName: 'Small, but good', maxOutputTokens: 8_192 })];
    rig.catalog.putKey(keySha256, context({ subject, models }));
    const reply = await callUnary(rig.client, 'validateKey', { keySha256 }, CALL);
    expect(reply.models).toMatchObject([
      { name: 'small', displayName: 'Small, but good', outputTokenLimit: 8_192 },
    ]);
  });

  test('that nobody has touched yet has its limits told from the books', async () => {
    const key = Buffer.alloc(32, 9);
    const subject = { ...SUBJECT, organisationId: 'org-untouched' };
    const own = limit({ limitId: 'untouched', scopeId: 'org-untouched' });
    rig.catalog.putKey(key, context({ subject, limits: [own] }));
    const reply = await callUnary(rig.client, 'validateKey', { keySha256: key }, CALL);
    expect(reply.limits).toMatchObject([{ limitId: 'untouched', settled: '0', held: '0' }]);
  });

  test('that is unknown is not valid', async () => {
    const reply = await callUnary(rig.client, 'validateKey', { keySha256: Buffer.alloc(32) }, CALL);
    expect(reply).toMatchObject({ valid: false, denial: { code: 'invalid_api_key' } });
  });

  test('is forgotten at an operator’s word', async () => {
    await rig.authorize(ask());
    const before = rig.catalog.calls('resolveKeys');
    const { dropped } = await callUnary(
      rig.client,
      'invalidate',
      { organisationId: 'org-1' },
      CALL,
    );
    expect(dropped).toBeGreaterThan(0);
    await rig.authorize(ask());
    expect(rig.catalog.calls('resolveKeys')).toBeGreaterThan(before);
  });
});

describe('health and metrics', () => {
  test('every dependency is told by name', async () => {
    const reply = await callUnary(rig.client, 'health', {}, CALL);
    expect(reply.serving).toBe(true);
    expect(reply.dependencies.map(({ name, ok }) => [name, ok])).toEqual([
      ['redis', true],
      ['catalog', true],
      ['postgres', true],
    ]);
    const response = await fetch(`http://127.0.0.1:${String(rig.policy.httpPort)}/healthz`);
    expect([response.status, await response.json()]).toMatchObject([200, { serving: true }]);
  });

  test('the counts move', async () => {
    await rig.authorize(ask({ model: 'nope' }));
    expect(await rig.metric('tollgate_policy_decisions_total')).toMatch(/model_not_found.* [1-9]/);
    expect(await rig.metric('tollgate_policy_decision_seconds_count')).toMatch(/authorize.* [1-9]/);
    expect(await rig.metric('tollgate_policy_store_seconds_count')).toMatch(/close.* [1-9]/);
    expect(await rig.metric('tollgate_policy_ledger_booked_total')).toMatch(/ [1-9]/);
    expect(await rig.metric('tollgate_policy_context_lookups_total')).toMatch(/hit.* [1-9]/);
  });
});

/** A session like an edge's. */
function openSession(client = rig.client) {
  const call = openStream(client, 'session');
  const frames: SessionReply__Output[] = [];
  let closed = false;
  call.on('data', (frame: SessionReply__Output) => frames.push(frame));
  call.on('end', () => {
    closed = true;
  });
  call.on('error', () => {
    closed = true;
  });
  const results = (): SessionResult__Output[] => frames.flatMap((frame) => frame.results);
  const send = (items: SessionItem[]) => call.write({ items });
  const resultOf = (correlationId: number) =>
    eventually(`a result of ${String(correlationId)}`, () => {
      const result = results().find((one) => one.correlationId === correlationId);
      if (result === undefined) throw new Error('none yet');
      return result;
    });
  return { call, frames, results, send, resultOf, closed: () => closed };
}

describe('a session', () => {
  test('decides, settles, and says when a settle is booked', async () => {
    const session = openSession();
    const request = ask();
    session.send([{ correlationId: 1, authorize: request }]);
    const holdToken = (await session.resultOf(1)).authorize?.allow?.holdToken ?? Buffer.alloc(0);
    session.send([{ correlationId: 2, settle: settled(request.requestId, holdToken) }]);
    const seq = (await session.resultOf(2)).settle?.seq ?? Number.NaN;
    await eventually('it is booked', () => {
      const bookedMarks = session.frames.flatMap((frame) => frame.booked);
      expect(bookedMarks.some((mark) => mark.booked >= seq && mark.epoch === 1)).toBe(true);
    });
    session.call.end();
    await eventually('it ends', () => expect(session.closed()).toBe(true));
  });

  test('items sent again on another session are the same items', async () => {
    const first = openSession();
    const request = ask();
    first.send([{ correlationId: 1, authorize: request }]);
    const allowed = (await first.resultOf(1)).authorize?.allow;
    first.call.cancel();
    const second = openSession();
    second.send([{ correlationId: 1, authorize: request }]);
    expect((await second.resultOf(1)).authorize?.allow?.holdToken).toEqual(allowed?.holdToken);
    const settle = settled(request.requestId, allowed?.holdToken ?? Buffer.alloc(0));
    second.send([
      { correlationId: 2, settle },
      { correlationId: 3, settle },
    ]);
    const [one, two] = [await second.resultOf(2), await second.resultOf(3)];
    expect(new Set([one.settle?.duplicate, two.settle?.duplicate])).toEqual(new Set([false, true]));
    expect(one.settle?.seq).toBe(two.settle?.seq);
    second.call.cancel();
  });

  test('carries hundreds of items at once', async () => {
    const session = openSession();
    for (let frame = 0; frame < 4; frame += 1) {
      const items = Array.from({ length: 256 }, (_, index) => ({
        correlationId: frame * 256 + index + 1,
        authorize: ask({ model: 'nope' }),
      }));
      session.send(items);
    }
    await eventually('all are answered', () => expect(session.results()).toHaveLength(1_024));
    expect(session.frames.length).toBeLessThan(300);
    session.call.cancel();
  });

  test('of a stopping policy is told so and ends', async () => {
    const { policy, client } = await rig.another();
    const session = openSession(client);
    session.send([{ correlationId: 1, authorize: ask() }]);
    await session.resultOf(1);
    await policy.stop();
    // Sent frames may still be on their way.
    await eventually('the session ends', () => expect(session.closed()).toBe(true));
    expect(session.frames.some((frame) => frame.draining)).toBe(true);
  });
});

test('without a service token nobody is let in, and each may call only its methods', async () => {
  const { policy } = await rig.another({ INTERNAL_TOKENS: TOKENS });
  const as = (caller: string, token?: string) =>
    createGrpcClient(
      PolicyClient,
      grpcChannel({ address: `127.0.0.1:${String(policy.grpcPort)}`, token, caller }),
    );
  await expect(callUnary(as('edge'), 'health', {}, CALL)).rejects.toThrow('16 UNAUTHENTICATED');
  await expect(callUnary(as('edge', 'wrong'), 'health', {}, CALL)).rejects.toThrow('16 ');
  await expect(
    callUnary(as('ops', 'ops-token-0123456789'), 'authorize', ask(), CALL),
  ).rejects.toThrow('7 PERMISSION_DENIED');
  const edge = as('edge', 'edge-token-0123456789');
  expect((await callUnary(edge, 'health', {}, CALL)).dependencies).toHaveLength(3);
});
