// Kept answers in a Redis: all edges find them, nobody reads them there, and no request waits for a Redis that is away.

import { spawnSync } from 'node:child_process';
import { startRedis, type RedisServer } from '@tollgate/stack';
import { createClient } from 'redis';

import { ORGANISATION } from '../test-support/fake-policy';
import {
  allow,
  candidate,
  chat,
  KEY,
  startHarness,
  until,
  type Harness,
} from '../test-support/harness';

const installed = spawnSync('redis-server', ['--version']).status === 0;
const onRedis = installed || process.env['REQUIRE_REAL'] === '1' ? describe : describe.skip;

onRedis('with a Redis', () => {
  let redis: RedisServer;
  let h: Harness;
  beforeAll(async () => {
    redis = await startRedis();
    // A frozen Redis is waited for as long as this.
    h = await startKeeping(50);
  });
  afterAll(async () => {
    await h.stop();
    await redis.stop();
  });

  /** An edge that keeps answers. */
  async function startKeeping(deadlineMs: number): Promise<Harness> {
    const harness = await startHarness({
      RESPONSE_CACHE_REDIS_URL: redis.url,
      RESPONSE_CACHE_DEADLINE_MS: deadlineMs,
    });
    const reply = allow([candidate()]);
    const subject = { organisationId: ORGANISATION, apiKeyId: ORGANISATION };
    const responseCache = { mode: 'ON', ttlSeconds: 60, pricePercent: 0, generation: 0 };
    harness.policy.decide = () => ({ allow: { ...reply.allow, subject, responseCache } });
    return harness;
  }

  async function ask(url: string, question: string): Promise<string | null> {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(chat({ messages: [{ role: 'user', content: question }] })),
    });
    expect(answer.status).toBe(200);
    await answer.text();
    return answer.headers.get('x-tollgate-cache');
  }

  async function counted(line: RegExp): Promise<number> {
    const text = await (await h.ops('/metrics')).text();
    return Number(line.exec(text)?.[1] ?? 0);
  }
  const KEPT = /cache_answers_total\{[^}]*outcome="kept"[^}]*\} (\d+)/;
  const FAILED = /cache_failures_total\{[^}]*operation="get"[^}]*\} (\d+)/;

  /** Asks until the answer comes from the store: writing it ends after the request. */
  async function untilHit(url: string, question: string): Promise<void> {
    let last: string | null = null;
    let asking = false;
    await until(() => {
      if (last === 'hit') return true;
      if (!asking) {
        asking = true;
        void ask(url, question).then((result) => {
          last = result;
          asking = false;
        });
      }
      return false;
    }, 'a hit');
  }

  test('another edge finds the answer', async () => {
    // So that no answer is a miss because the machine is busy.
    const patient = await startKeeping(10_000);
    const other = await patient.start();
    try {
      // It is connected.
      await untilHit(other.url, 'another question');
      await untilHit(patient.edge.url, 'shared');
      expect(await ask(other.url, 'shared')).toBe('hit');
    } finally {
      await other.stop();
      await patient.stop();
    }
  });

  test('neither questions nor answers can be read there, and they expire', async () => {
    await untilHit(h.edge.url, 'a secret question');
    const client = await createClient({ url: redis.url }).connect();
    try {
      const names = await client.keys('tollgate:response:*');
      expect(names.length).toBeGreaterThan(0);
      for (const name of names) {
        const value = (await client.get(name)) ?? '';
        expect(value).not.toMatch(/Hello there|secret|house-model/);
        const ttl = await client.ttl(name);
        expect(ttl).toBeGreaterThan(0);
        expect(ttl).toBeLessThanOrEqual(60);
      }
    } finally {
      client.destroy();
    }
  });

  test('while it is frozen, requests are served as misses, and each failure is counted', async () => {
    await untilHit(h.edge.url, 'frozen');
    const before = await counted(FAILED);
    redis.kill('SIGSTOP');
    try {
      expect(await ask(h.edge.url, 'frozen')).toBe('miss');
      expect(await ask(h.edge.url, 'frozen')).toBe('miss');
    } finally {
      redis.kill('SIGCONT');
    }
    expect(await counted(FAILED)).toBe(before + 2);
    await untilHit(h.edge.url, 'frozen');
    expect(await counted(KEPT)).toBeGreaterThan(0);
  });

  test('a damaged answer is a miss', async () => {
    await untilHit(h.edge.url, 'damaged');
    const client = await createClient({ url: redis.url }).connect();
    try {
      for (const name of await client.keys('tollgate:response:*')) {
        await client.set(name, 'nonsense', { KEEPTTL: true });
      }
    } finally {
      client.destroy();
    }
    expect(await ask(h.edge.url, 'damaged')).toBe('miss');
  });

  test('after it has died, requests are served as misses', async () => {
    await untilHit(h.edge.url, 'dead');
    redis.kill('SIGKILL');
    expect(await ask(h.edge.url, 'dead')).toBe('miss');
    expect(await ask(h.edge.url, 'dead')).toBe('miss');
  });
});
