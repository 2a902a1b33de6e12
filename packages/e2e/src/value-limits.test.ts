import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { Client } from 'pg';

import {
  checkBooks,
  eventually,
  expectStatus,
  newTenant,
  startGateway,
  type Gateway,
  type Tenant,
} from '.';

// "Each session 40 requests": loops of the vendors' own SDKs end at the cap, whichever format they speak.

const messages = [{ role: 'user' as const, content: 'Go on' }];

describe.each(['off', 'on'])('with FLOATS=%s', (FLOATS) => {
  let gateway: Gateway;
  let tenant: Tenant;
  let key: string;
  let stop: () => Promise<void> = async () => undefined;

  beforeAll(async () => {
    gateway = await startGateway({ env: { policy: { FLOATS } } });
    stop = gateway.stop;
    tenant = await newTenant(gateway);
    key = (await tenant.key()).key;
  });
  afterAll(() => stop());

  const openai = (session: string) =>
    new OpenAI({
      baseURL: `${gateway.edgeUrl()}/v1`,
      apiKey: key,
      maxRetries: 0,
      defaultHeaders: { 'session-id': session },
    });
  const anthropic = (session: string) =>
    new Anthropic({
      baseURL: gateway.edgeUrl(),
      apiKey: key,
      maxRetries: 0,
      defaultHeaders: { 'x-claude-code-session-id': session },
    });
  const FORMATS: Record<string, (session: string) => Promise<unknown>> = {
    chat: (session) => openai(session).chat.completions.create({ model: 'chat', messages }),
    messages: (session) =>
      anthropic(session).messages.create({ model: 'chat', max_tokens: 20, messages }),
    responses: (session) => openai(session).responses.create({ model: 'chat', input: 'Go on' }),
  };

  /** Sends until it is refused. Returns how many were answered, and the error. */
  async function loop(send: () => Promise<unknown>): Promise<{ answered: number; error: Error }> {
    for (let answered = 0; answered < 100; answered += 1) {
      try {
        await send();
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        return { answered, error };
      }
    }
    throw new Error('the loop was not ended');
  }

  test('a loop of each format is ended at its session’s cap, and other sessions go on', async () => {
    const { data } = expectStatus(
      await gateway.rest.post(`${tenant.base}/quotas`, {
        scope: { type: 'SESSION', id: tenant.id },
        metric: 'REQUESTS',
        period: 'LIFETIME',
        limit: 5,
      }),
      201,
    ) as { data: { id: string } };
    // Policy learns of the limit: then a session of its own ends.
    await eventually('the limit applies', async () => {
      const probe = `probe-${Math.random().toString(36).slice(2)}`;
      const sent = await Promise.allSettled(
        Array.from({ length: 6 }, () =>
          openai(probe).chat.completions.create({ model: 'chat', messages }),
        ),
      );
      return sent.some(({ status }) => status === 'rejected');
    });
    for (const [format, send] of Object.entries(FORMATS)) {
      const session = `session-of-${format}`;
      const { answered, error } = await loop(() => send(session));
      expect({ format, answered }).toEqual({ format, answered: 5 });
      expect(error.message).toContain('lifetime REQUESTS quota of the session would be exceeded');
      expect(JSON.stringify(error)).not.toContain(session);
    }
    const { data: quota } = await gateway.rest.get(`${tenant.base}/quotas/${data.id}`);
    expect(quota).toMatchObject({ scope: { type: 'SESSION' }, requireValue: false });
    expect(await checkBooks(gateway)).toMatchObject({ ok: true, breaches: [] });
    const client = new Client({ connectionString: gateway.databaseUrl });
    await client.connect();
    try {
      await client.query('UPDATE value_window SET amount = amount + 1 WHERE limit_id = $1', [
        data.id,
      ]);
    } finally {
      await client.end();
    }
    // One more in each total: the probes' and the formats' are all named.
    const { ok, breaches } = await checkBooks(gateway, 0);
    expect(ok).toBe(false);
    expect(breaches.length).toBeGreaterThanOrEqual(Object.keys(FORMATS).length);
    expect(breaches.every((breach) => breach.includes(data.id))).toBe(true);
  });
});
