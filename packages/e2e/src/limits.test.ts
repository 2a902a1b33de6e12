import type { AxiosResponse } from 'axios';

import {
  chat,
  eventually,
  newMember,
  newTenant,
  recordOf,
  requestIdOf,
  startGate,
  startGateway,
  type Gateway,
  type Tenant,
} from '.';

// Each limit kind at each level refuses with its own status and code, and names itself.

describe.each(['off', 'on'])('with FLOATS=%s', (FLOATS) => {
  let gateway: Gateway;
  let stop: () => Promise<void> = async () => undefined;

  beforeAll(async () => {
    gateway = await startGateway({ env: { policy: { FLOATS } } });
    stop = gateway.stop;
  });
  afterAll(() => stop());

  const LEVELS = ['ORGANISATION', 'TEAM', 'USER', 'API_KEY', 'MODEL'] as const;
  type Level = (typeof LEVELS)[number];

  interface Setting {
    readonly tenant: Tenant;
    readonly key: string;
    readonly scope: { type: Level; id: string };
  }

  /** A tenant whose key belongs to a user of a team, so that limits of every level can bind it. */
  async function setting(level: Level, upstreamModel = 'sim', provider = {}): Promise<Setting> {
    const tenant = await newTenant(gateway, { upstreamModel, provider });
    const { teamId, userId } = await newMember(tenant);
    const key = await tenant.key({ type: 'USER', userId, teamId });
    const ids: Record<Level, string> = {
      ORGANISATION: tenant.id,
      TEAM: teamId,
      USER: userId,
      API_KEY: key.id,
      MODEL: tenant.modelId,
    };
    return { tenant, key: key.key, scope: { type: level, id: ids[level] } };
  }

  interface Refusal {
    readonly error: {
      readonly code: string;
      readonly message: string;
      readonly details: { readonly limit: { id: string; kind: string; scope: object } };
    };
  }

  function expectRefusal(answer: AxiosResponse, status: number, code: string): Refusal['error'] {
    expect({ status: answer.status, code: (answer.data as Refusal).error.code }).toEqual({
      status,
      code,
    });
    return (answer.data as Refusal).error;
  }

  describe.each(LEVELS)('a limit of one %s', (level) => {
    test('a budget that is too small for the request is 402 and is named', async () => {
      const { tenant, key, scope } = await setting(level);
      const budget = await tenant.create('budgets', {
        scope,
        period: 'DAILY',
        limitUsd: '0.000001',
        mode: 'HARD',
      });
      const answer = await chat(gateway.edgeUrl(), key);
      const error = expectRefusal(answer, 402, 'budget_exceeded');
      expect(error.details.limit).toMatchObject({ id: budget.id, scope });
      expect(answer.headers['x-should-retry']).toBe('false');
    });

    test.each(['REQUESTS', 'TOKENS', 'TOKENS_IN', 'TOKENS_OUT', 'COST'] as const)(
      'a quota on %s that is too small is 429 quota_exceeded and is named',
      async (metric) => {
        const { tenant, key, scope } = await setting(level);
        const limit = metric === 'COST' ? '0.000001' : 1;
        const quota = await tenant.create('quotas', { scope, metric, period: 'DAILY', limit });
        if (metric === 'REQUESTS') expect((await chat(gateway.edgeUrl(), key)).status).toBe(200);
        const answer = await chat(gateway.edgeUrl(), key);
        const error = expectRefusal(answer, 429, 'quota_exceeded');
        expect(error.details.limit).toMatchObject({ id: quota.id, scope });
      },
    );

    test('a quota on ERRORS refuses after its number of failures', async () => {
      const { tenant, key, scope } = await setting(level, 'sim-status-500');
      await tenant.create('quotas', { scope, metric: 'ERRORS', period: 'DAILY', limit: 1 });
      const failed = await chat(gateway.edgeUrl(), key);
      expect(failed.status).toBe(502);
      await recordOf(gateway, tenant, requestIdOf(failed));
      expectRefusal(await chat(gateway.edgeUrl(), key), 429, 'quota_exceeded');
    });

    test('a quota on LATENCY_MS refuses after its sum of latencies', async () => {
      const { tenant, key, scope } = await setting(level, 'sim-slow-first-byte-20');
      await tenant.create('quotas', { scope, metric: 'LATENCY_MS', period: 'DAILY', limit: 5 });
      const slow = await chat(gateway.edgeUrl(), key);
      expect(slow.status).toBe(200);
      await recordOf(gateway, tenant, requestIdOf(slow));
      expectRefusal(await chat(gateway.edgeUrl(), key), 429, 'quota_exceeded');
    });

    test('a rate of requests refuses the next one', async () => {
      const { tenant, key, scope } = await setting(level);
      await tenant.create('rate-limits', { scope, requestsPerMinute: 1 });
      expect((await chat(gateway.edgeUrl(), key)).status).toBe(200);
      const answer = await chat(gateway.edgeUrl(), key);
      const { message } = expectRefusal(answer, 429, 'rate_limit_exceeded');
      // An SDK would sleep for a header of up to a minute, so the wait is in the message instead.
      expect(answer.headers['retry-after']).toBeUndefined();
      expect(message).not.toContain('Wait a little');
      const [, seconds] = /Send it again in (\d+) seconds\.$/.exec(message) ?? [];
      expect(Number(seconds)).toBeGreaterThan(20);
      expect(Number(seconds)).toBeLessThanOrEqual(60);
    });

    test('a rate of tokens holds the estimate', async () => {
      const { tenant, key, scope } = await setting(level);
      await tenant.create('rate-limits', { scope, tokensPerMinute: 10 });
      expectRefusal(await chat(gateway.edgeUrl(), key), 429, 'rate_limit_exceeded');
    });

    test('a limit of concurrent requests has room again when one ends', async () => {
      const gate = await startGate();
      try {
        const { tenant, key, scope } = await setting(level, 'gate', { baseUrl: gate.url });
        await tenant.create('rate-limits', { scope, concurrentRequests: 1 });
        const first = chat(gateway.edgeUrl(), key);
        await eventually('the first runs', async () => gate.arrivals() === 1);
        expectRefusal(await chat(gateway.edgeUrl(), key), 429, 'rate_limit_exceeded');
        gate.open();
        expect((await first).status).toBe(200);
        await eventually('a place is free again', async () => {
          const answer = await chat(gateway.edgeUrl(), key);
          return answer.status === 200;
        });
      } finally {
        await gate.stop();
      }
    });
  });

  test('if two budgets refuse, the tighter one is named', async () => {
    const { tenant, key, scope } = await setting('API_KEY');
    const organisation = { type: 'ORGANISATION', id: tenant.id };
    const period = { period: 'DAILY', mode: 'HARD' };
    await tenant.create('budgets', { scope: organisation, limitUsd: '0.000002', ...period });
    const tighter = await tenant.create('budgets', { scope, limitUsd: '0.000001', ...period });
    const error = expectRefusal(await chat(gateway.edgeUrl(), key), 402, 'budget_exceeded');
    expect(error.details.limit.id).toBe(tighter.id);
  });

  test('a soft budget allows every request with a warning, and creates one audit event', async () => {
    const { tenant, key, scope } = await setting('ORGANISATION');
    const soft = { scope, limitUsd: '0.000001', period: 'DAILY', mode: 'SOFT' };
    const { id } = await tenant.create('budgets', soft);
    const events = async (): Promise<unknown[]> => {
      const path = `${tenant.base}/audit-events?action=limit.soft_exceeded&targetId=${id}`;
      return ((await gateway.rest.get(path)).data as { data: unknown[] }).data;
    };
    for (let n = 0; n < 3; n += 1) {
      const answer = await chat(gateway.edgeUrl(), key);
      expect(answer.status).toBe(200);
      expect(answer.headers['x-tollgate-soft-exceeded']).toContain(`id="${id}"`);
      await recordOf(gateway, tenant, requestIdOf(answer));
      await eventually('it is in the trail', async () => (await events()).length > 0);
      expect(await events()).toHaveLength(1);
    }
  });

  test('a raised budget allows the next request, a lowered one refuses it', async () => {
    const { tenant, key, scope } = await setting('ORGANISATION');
    const small = { scope, limitUsd: '0.000001', period: 'DAILY', mode: 'HARD' };
    const budget = await tenant.create('budgets', small);
    const at = `${tenant.base}/budgets/${budget.id}`;
    expect((await chat(gateway.edgeUrl(), key)).status).toBe(402);
    expect((await gateway.rest.patch(at, { limitUsd: '1.00' })).status).toBe(200);
    await eventually('served', async () => (await chat(gateway.edgeUrl(), key)).status === 200);
    expect((await gateway.rest.patch(at, { limitUsd: '0.000001' })).status).toBe(200);
    await eventually('refused', async () => (await chat(gateway.edgeUrl(), key)).status === 402);
  });
});
