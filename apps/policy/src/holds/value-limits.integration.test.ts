import type { AuthorizeReply__Output, AuthorizeRequest__Output } from '@tollgate/contracts/node';
import { createClient } from 'redis';

import { ask, context, limit, model, settled, sha256, SUBJECT } from '../test-support/contexts';
import { eventually, FLOATS, startRig, unaryCalls, type Rig } from '../test-support/rig';

// Limits that each end user, session or value of a tag has for itself. A request of `ask` holds $0.0002.

const VALUE_KEY = '5f8b2a54-3a3c-4a55-9d3c-0f2f6a1f7b11';

describe.each(FLOATS)('with floats $FLOATS', (floats) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(floats);
  });
  afterAll(() => rig.stop());

  const command = async (...words: string[]): Promise<unknown> => {
    const client = createClient({ url: rig.redis.url, RESP: 2 });
    await client.connect();
    try {
      return await client.sendCommand(words);
    } finally {
      client.destroy();
    }
  };

  let cases = 0;
  const owned = (id: string) => `${id}/${String(cases)}`;

  interface Template {
    scopeType?: string;
    tagKey?: string;
    requireValue?: boolean;
    row?: Parameters<typeof limit>[0];
  }

  function key(
    templates: readonly Template[],
    changes: Parameters<typeof context>[0] = {},
  ): Buffer {
    cases += 1;
    const subject = { ...SUBJECT, organisationId: owned(SUBJECT.organisationId) };
    const keySha256 = sha256(`values ${String(cases)}`);
    rig.catalog.putKey(
      keySha256,
      context({
        subject,
        models: [model({ modelId: owned('model-1') })],
        limits: [],
        trustedAttribution: true,
        tagKeys: ['project'],
        valueLimits: templates.map(
          ({ scopeType = 'SESSION', tagKey = '', requireValue = false, row }, at) => ({
            limit: limit({
              limitId: `${owned('limit')}${String(at)}`,
              scopeType,
              scopeId: subject.organisationId,
              limit: '500000',
              ...row,
            }),
            tagKey,
            requireValue,
            valueKey: VALUE_KEY,
          }),
        ),
        ...changes,
      }),
    );
    return keySha256;
  }

  interface Names {
    endUser?: string;
    session?: string;
    tags?: string;
  }
  const asking = (keySha256: Buffer, names: Names | null): AuthorizeRequest__Output =>
    ask({
      keySha256,
      claimed:
        names === null ? null : { endUser: '', session: '', tags: '', metadata: '', ...names },
    });
  const authorize = (keySha256: Buffer, names: Names | null) =>
    rig.authorize(asking(keySha256, names));
  const finish = (
    { requestId }: AuthorizeRequest__Output,
    allow: AuthorizeReply__Output['allow'] | undefined,
    changes: Parameters<typeof settled>[2],
  ) =>
    rig.settle(
      settled(requestId, allow?.holdToken ?? Buffer.alloc(0), {
        modelId: owned('model-1'),
        ...changes,
      }),
    );
  const denialOf = ({ denial }: AuthorizeReply__Output) => ({
    code: denial?.code,
    message: denial?.message ?? '',
    details: JSON.parse(denial?.detailsJson || '{}') as Record<string, unknown>,
  });

  test.each([
    ['END_USER', '', { endUser: 'ada' }, { endUser: 'bob' }],
    ['SESSION', '', { session: 's-1' }, { session: 's-2' }],
    ['TAG', 'project', { tags: 'project:blue' }, { tags: 'project:red' }],
  ])('each value of %s has the limit for itself', async (scopeType, tagKey, one, other) => {
    const keySha256 = key([{ scopeType, tagKey }]);
    expect((await authorize(keySha256, one)).allow).toBeTruthy();
    expect((await authorize(keySha256, one)).allow).toBeTruthy();
    const refused = denialOf(await authorize(keySha256, one));
    expect(refused.code).toBe('budget_exceeded');
    expect(refused.details['limit']).toMatchObject({
      id: `${owned('limit')}0`,
      scope: { type: scopeType, ...(tagKey === '' ? {} : { tagKey }) },
      held: '0.0004',
      requested: '0.0002',
    });
    if (tagKey !== '')
      expect(refused.message).toContain(`of the tag "${tagKey}" would be exceeded`);
    // Neither the name nor its hash: the answer may be read by others.
    expect(JSON.stringify(refused)).not.toMatch(/~|ada|s-1|blue/);
    expect((await authorize(keySha256, other)).allow).toBeTruthy();
    expect((await authorize(keySha256, null)).allow).toBeTruthy();
  });

  test('what a value spends is charged to it and to no other value', async () => {
    const keySha256 = key([{}]);
    for (const costNanoUsd of ['150000', '150000']) {
      const request = asking(keySha256, { session: 's' });
      const { allow } = await rig.authorize(request);
      await finish(request, allow, { costNanoUsd });
    }
    expect((await authorize(keySha256, { session: 's' })).allow).toBeTruthy();
    const refused = denialOf(await authorize(keySha256, { session: 's' }));
    expect(refused.details['limit']).toMatchObject({ spent: '0.0003', held: '0.0002' });
    expect((await authorize(keySha256, { session: 'another' })).allow).toBeTruthy();
  });

  test('a lifetime has no end: the refusal suggests no wait', async () => {
    const keySha256 = key([{ row: { period: 'LIFETIME', limit: '200000' } }]);
    expect((await authorize(keySha256, { session: 's' })).allow).toBeTruthy();
    const { denial } = await authorize(keySha256, { session: 's' });
    expect(denial).toMatchObject({ code: 'budget_exceeded', retryAfterMs: 0 });
    expect(denial?.message).toContain('The lifetime budget of the session would be exceeded');
    expect(denial?.limits[0]).toMatchObject({ scopeType: 'SESSION', resetsAtMs: 0 });
  });

  test('rates and concurrency of each value', async () => {
    const rates = [
      { row: { kind: 'RATE_REQUESTS', metric: '', period: '', limit: '2' } },
      { row: { kind: 'RATE_CONCURRENT', metric: '', period: '', limit: '1' } },
    ];
    const keySha256 = key(rates);
    const request = asking(keySha256, { session: 's' });
    const { allow } = await rig.authorize(request);
    expect(denialOf(await authorize(keySha256, { session: 's' })).message).toContain('concurrent');
    await finish(request, allow, { costNanoUsd: '1' });
    expect((await authorize(keySha256, { session: 't' })).allow).toBeTruthy();
    const next = asking(keySha256, { session: 's' });
    const { allow: second } = await rig.authorize(next);
    await finish(next, second, { costNanoUsd: '1' });
    expect(denialOf(await authorize(keySha256, { session: 's' })).message).toContain('per minute');
  });

  test('a soft limit is told by its own id, and refuses nothing', async () => {
    const keySha256 = key([{ row: { mode: 'SOFT', limit: '200000' } }]);
    await authorize(keySha256, { session: 's' });
    const { allow } = await authorize(keySha256, { session: 's' });
    expect(allow?.softExceeded).toEqual([`${owned('limit')}0`]);
    expect(allow?.limits).toMatchObject([{ limitId: `${owned('limit')}0`, scopeType: 'SESSION' }]);
  });

  test('the catalog is told which request passed a soft limit first, for each value', async () => {
    const keySha256 = key([{ row: { mode: 'SOFT', limit: '1' } }]);
    const ids = [];
    for (const session of ['s', 't', 's']) {
      const request = asking(keySha256, { session });
      ids.push(request.requestId);
      await rig.authorize(request);
    }
    const told = () =>
      rig.catalog.softLimits.filter(({ limitId }) => limitId.startsWith(`${owned('limit')}0~s`));
    await eventually('both values are reported', () => expect(told()).toHaveLength(2));
    expect(told().map(({ requestId }) => requestId)).toEqual(ids.slice(0, 2));
  });

  test('names of a key that is not trusted use up nobody’s limit', async () => {
    const keySha256 = key([{ row: { limit: '200000' } }], { trustedAttribution: false });
    for (let times = 0; times < 3; times += 1) {
      expect((await authorize(keySha256, { session: 's' })).allow).toBeTruthy();
    }
  });

  test('a request without the required value is refused, and told what to send', async () => {
    const keySha256 = key([{ scopeType: 'TAG', tagKey: 'project', requireValue: true }]);
    const refused = denialOf(await authorize(keySha256, { session: 's' }));
    expect(refused).toMatchObject({
      code: 'invalid_request',
      details: { param: 'x-tollgate-tags' },
    });
    expect(refused.message).toContain('the tag "project"');
    expect((await authorize(keySha256, { tags: 'project:blue' })).allow).toBeTruthy();
    const untrusted = key([{ requireValue: true }], { trustedAttribution: false });
    const told = denialOf(await authorize(untrusted, { session: 's' }));
    expect(told.message).toContain('are not trusted');
  });

  test('counters have neither names nor other things of variable length', async () => {
    const keySha256 = key([{}]);
    await authorize(keySha256, { session: 'a-secret-name' });
    await authorize(keySha256, { session: 'x'.repeat(128) });
    const keys = (await command('KEYS', '*')) as string[];
    const own = keys.filter((name) => name.includes(`${owned('limit')}0~`));
    expect(own).toHaveLength(2);
    expect(new Set(own.map((name) => name.length)).size).toBe(1);
    expect(keys.join()).not.toContain('a-secret-name');
    for (const name of own) {
      expect(Number(await command('PTTL', name))).toBeLessThanOrEqual(25 * 3_600_000);
    }
  });

  test('Redis loses everything: what a session has spent is known from the books', async () => {
    const keySha256 = key([{ row: { period: 'LIFETIME' } }]);
    for (let times = 0; times < 2; times += 1) {
      const request = asking(keySha256, { session: 'loop' });
      const { allow } = await rig.authorize(request);
      await finish(request, allow, { costNanoUsd: '200000' });
    }
    await eventually('both are booked', () => {
      const booked = [...rig.catalog.books.records.values()].filter(
        ({ subject }) => subject?.organisationId === owned(SUBJECT.organisationId),
      );
      expect(booked).toHaveLength(2);
    });
    await command('FLUSHALL');
    await eventually('the session is refused', async () => {
      const refused = denialOf(await authorize(keySha256, { session: 'loop' }));
      expect(refused.code).toBe('budget_exceeded');
      expect(refused.details['limit']).toMatchObject({ spent: '0.0004' });
    });
    await eventually('another is allowed', async () => {
      expect((await authorize(keySha256, { session: 'fresh' })).allow).toBeTruthy();
    });
  });

  test('50 sessions of loops that never stop end at their caps, though a policy ends in between', async () => {
    const keySha256 = key([{ row: { period: 'LIFETIME', limit: '3000000' } }]);
    const second = await rig.another();
    const other = unaryCalls(second.client);
    let stopped = rig.session !== undefined;
    const decided = async (request: AuthorizeRequest__Output) => {
      if (stopped) return rig.authorize(request);
      try {
        return await other.authorize(request);
      } catch (error) {
        // Asked again elsewhere: the hold may have been taken.
        if (stopped) return rig.authorize(request);
        throw error;
      }
    };
    const spent = new Map<string, bigint>();
    const refused = new Set<string>();
    let rounds = 0;
    const loop = async (session: string): Promise<void> => {
      for (;;) {
        const request = asking(keySha256, { session });
        const { allow, denial } = await decided(request);
        if (denial) {
          expect(denial.code).toBe('budget_exceeded');
          refused.add(session);
          return;
        }
        rounds += 1;
        if (rounds === 200) {
          stopped = true;
          await second.policy.stop();
        }
        const costNanoUsd = 150_000n + BigInt(rounds % 50_000);
        spent.set(session, (spent.get(session) ?? 0n) + costNanoUsd);
        await finish(request, allow, { costNanoUsd: costNanoUsd.toString() });
      }
    };
    await Promise.all(Array.from({ length: 50 }, (_, n) => loop(`session ${String(n)}`)));
    expect(refused.size).toBe(50);
    const over = [...spent.values()].filter((amount) => amount > 3_000_000n);
    expect(over).toEqual([]);
    for (const amount of spent.values()) expect(amount).toBeGreaterThan(2_500_000n);
  }, 60_000);
});
