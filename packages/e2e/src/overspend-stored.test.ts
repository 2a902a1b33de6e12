import OpenAI from 'openai';

import { billOf, newTenant, recordOf, startGateway, type Gateway, type Tenant } from '.';

// A provider bills its stored conversation again with every follow-up, so the hold of a short
// follow-up covers all of it.

describe.each(['off', 'on'])('with FLOATS=%s', (FLOATS) => {
  let gateway: Gateway;
  let stop: () => Promise<void> = async () => undefined;

  beforeAll(async () => {
    gateway = await startGateway({ edges: 2, env: { policy: { FLOATS } } });
    stop = gateway.stop;
  });
  afterAll(() => stop());

  const LONG = 'Remember each of these words. '.repeat(4_000);
  const LONG_TOKENS = 16_000;
  const AT_ONCE = 40;
  /** What a few follow-ups cost, each of 16,000 stored tokens or more. */
  const LIMIT_NANO = 400_000_000n;
  const ask = { model: 'chat', max_output_tokens: 5 } as const;

  const clientOf = (key: string, edge: number): OpenAI =>
    new OpenAI({ baseURL: `${gateway.edgeUrl(edge)}/v1`, apiKey: key, maxRetries: 0 });

  async function billed(tenant: Tenant): Promise<bigint> {
    return (await billOf(gateway, tenant)).reduce((sum, { nanoUsd }) => sum + nanoUsd, 0n);
  }

  /** The reference of a follow-up to a long stored conversation. */
  const STORED: readonly (readonly [string, (client: OpenAI) => Promise<object>])[] = [
    [
      'a response',
      async (client) => {
        const { id } = await client.responses.create({ ...ask, input: LONG });
        return { previous_response_id: id };
      },
    ],
    [
      'a conversation with a turn',
      async (client) => {
        const { id } = await client.conversations.create();
        await client.responses.create({ ...ask, input: LONG, conversation: id });
        return { conversation: id };
      },
    ],
    [
      'a conversation with items',
      async (client) => {
        const { id } = await client.conversations.create();
        await client.conversations.items.create(id, {
          items: [{ type: 'message', role: 'user', content: LONG }],
        });
        return { conversation: id };
      },
    ],
    [
      'an item',
      async (client) => {
        const write = { model: 'long', max_output_tokens: LONG_TOKENS, input: 'Write.' };
        const { output } = await client.responses.create(write);
        const reference = { type: 'item_reference', id: output[0]?.id };
        return { input: [reference, { role: 'user', content: 'And now?' }] };
      },
    ],
  ];

  test.each(STORED)('follow-ups of %s never spend more than the budget', async (_, store) => {
    const tenant = await newTenant(gateway);
    await tenant.create('budgets', {
      scope: { type: 'ORGANISATION', id: tenant.id },
      period: 'MONTHLY',
      limitUsd: (Number(LIMIT_NANO) / 1e9).toFixed(9),
      mode: 'HARD',
    });
    const long = await tenant.model('long', `sim-tokens-${String(LONG_TOKENS)}`);
    const { key } = await tenant.key({ modelIds: [tenant.modelId, long] });
    const clients = [clientOf(key, 0), clientOf(key, 1)] as const;
    const stored = await store(clients[0]);
    const followUp = (client: OpenAI) =>
      client.responses.create({ ...ask, input: 'And now?', ...stored });
    const before = await billed(tenant);
    await followUp(clients[1]);
    const cost = (await billed(tenant)) - before;
    // Nearly all of it is stored input: the follow-up itself costs a hundredth of a cent.
    expect(cost).toBeGreaterThan(LIMIT_NANO / 12n);

    const asked = Array.from({ length: AT_ONCE }, (_one, n) =>
      followUp(clients[n % 2 === 0 ? 0 : 1]),
    );
    const answers = await Promise.allSettled(asked);
    const served = answers.filter(({ status }) => status === 'fulfilled');
    const refused = answers.flatMap((one) =>
      one.status === 'rejected' ? [one.reason as unknown] : [],
    );
    for (const error of refused) expect(error).toMatchObject({ status: 402 });
    expect(served.length).toBeGreaterThan(0);
    expect(BigInt(served.length)).toBeLessThanOrEqual(LIMIT_NANO / cost);
    expect(await billed(tenant)).toBeLessThanOrEqual(LIMIT_NANO);
  });

  /** Tokens that are on their way when a client leaves. */
  const IN_FLIGHT_NANO = 20n * 10_000n;

  test.each(STORED)(
    'a follow-up of %s whose client leaves is charged for what is stored',
    async (_, store) => {
      const tenant = await newTenant(gateway);
      const slow = await tenant.model('slow', 'sim+pace-50+tokens-400');
      const long = await tenant.model('long', `sim-tokens-${String(LONG_TOKENS)}`);
      const { key } = await tenant.key({ modelIds: [tenant.modelId, slow, long] });
      const client = clientOf(key, 0);
      const stored = await store(client);
      // The provider's count of this turn takes the place of estimates.
      await client.responses.create({ ...ask, input: 'Well?', ...stored });
      const before = await billed(tenant);
      const { data, response } = await client.responses
        .create({ model: 'slow', input: 'And now?', stream: true, ...stored })
        .withResponse();
      for await (const { type } of data) if (type === 'response.output_text.delta') break;
      const requestId = response.headers.get('x-tollgate-request-id') ?? '';
      const record = await recordOf(gateway, tenant, requestId);
      expect(record).toMatchObject({ outcome: 'CLIENT_CLOSED', usageQuality: 'ESTIMATED' });
      const bill = (await billed(tenant)) - before;
      expect(bill).toBeGreaterThan(LIMIT_NANO / 12n);
      const { costUsd } = record as { costUsd: string };
      const charged = BigInt(Math.round(Number(costUsd) * 1e9));
      expect(charged).toBeGreaterThanOrEqual(bill - IN_FLIGHT_NANO);
      // Estimates of a few words, and no more than once what is stored.
      expect(charged).toBeLessThan((bill * 11n) / 10n);
    },
  );
});
