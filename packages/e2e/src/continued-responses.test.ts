import axios from 'axios';
import OpenAI from 'openai';

import { eventually, newMember, newTenant, startGateway, type Gateway, type Tenant } from '.';
import { expectStatus, recordOf } from './gateway/tenant';

// `previous_response_id` against a real stack, through the vendor's own SDK. A response is stored
// at the upstream that made it, and the simulator too continues only its own responses, per key.

let gateway: Gateway;
let tenant: Tenant;
let client: OpenAI;
let stop: () => Promise<void> = async () => undefined;

const clientOf = (key: string): OpenAI =>
  new OpenAI({ baseURL: `${gateway.edgeUrl()}/v1`, apiKey: key, maxRetries: 0 });

beforeAll(async () => {
  // Changes take effect by notification: no cached plan expires while the tests run.
  gateway = await startGateway({ env: { policy: { CONTEXT_FRESH_MS: '600000' } } });
  stop = gateway.stop;
  tenant = await newTenant(gateway);
  client = clientOf((await tenant.key()).key);
});
afterAll(() => stop());

const ask = { model: 'chat', input: 'Remember this' } as const;

interface Received {
  readonly apiKey: string;
  readonly body: { readonly previous_response_id?: string };
}

/** The requests that the simulator received, for any key. */
async function received(): Promise<Received[]> {
  const { data } = await axios.get(`${gateway.simulatorUrl}/_sim/requests`);
  return (data as { data: Received[] }).data;
}

const continued = async (): Promise<string[]> =>
  (await received()).flatMap(({ body }) => body.previous_response_id ?? []);

const refusalOf = async (asked: Promise<unknown>) => {
  const error: unknown = await asked.catch((caught: unknown) => caught);
  if (!(error instanceof OpenAI.BadRequestError)) throw new Error(`not a 400: ${String(error)}`);
  const { status, type, code, param, message } = error;
  return { status, type, code, param, message };
};

const REFUSED = {
  status: 400,
  type: 'invalid_request_error',
  code: 'invalid_request',
  param: 'previous_response_id',
};

test('a follow-up continues the stored response, unary and streamed', async () => {
  const first = await client.responses.create(ask);
  const second = await client.responses.create({ ...ask, previous_response_id: first.id });
  expect(second.previous_response_id).toBe(first.id);
  // Earlier turns are part of the second input.
  expect(second.usage?.input_tokens).toBeGreaterThan(first.usage?.input_tokens ?? Infinity);
  const stream = client.responses.stream({ ...ask, previous_response_id: second.id });
  const third = await stream.finalResponse();
  expect(third.previous_response_id).toBe(second.id);
  expect(await continued()).toEqual([first.id, second.id]);
});

test('an unknown id is 400 in the vendor’s format, unary and streamed', async () => {
  const asked = { ...ask, previous_response_id: 'resp_made_up' };
  expect(await refusalOf(client.responses.create(asked))).toMatchObject(REFUSED);
  const streamed = client.responses.create({ ...asked, stream: true });
  expect(await refusalOf(streamed)).toMatchObject(REFUSED);
});

test('another tenant’s id is refused as unknown', async () => {
  const stranger = await newTenant(gateway);
  const theirs = clientOf((await stranger.key()).key);
  const { id } = await theirs.responses.create(ask);
  const followed = await theirs.responses.create({ ...ask, previous_response_id: id });
  expect(followed.previous_response_id).toBe(id);

  const refused = await refusalOf(client.responses.create({ ...ask, previous_response_id: id }));
  const unknown = { ...ask, previous_response_id: id.replace(/.{8}$/, '00000000') };
  expect(refused).toMatchObject(REFUSED);
  expect(refused).toEqual(await refusalOf(client.responses.create(unknown)));
});

test('a follow-up uses the connection that made the response, whatever the key is now', async () => {
  const first = await client.responses.create(ask);
  const provider = `${tenant.base}/providers/${tenant.providerId}`;
  const { data } = expectStatus(await gateway.rest.get(`${provider}/keys`), 200);
  const [key] = (data as { data: { id: string }[] }).data;
  const rotate = `${provider}/keys/${String(key?.id)}/rotate`;
  expectStatus(await gateway.rest.post(rotate, { apiKey: 'sk-sim-rotated' }), 201);
  const fresh = await eventually('new requests go by the new key', async () => {
    const { id } = await client.responses.create(ask);
    return (await received()).at(-1)?.apiKey === 'sk-sim-rotated' && id;
  });

  // The simulator refuses each id under the other key.
  for (const previous_response_id of [first.id, fresh]) {
    const next = await client.responses.create({ ...ask, previous_response_id });
    expect(next.previous_response_id).toBe(previous_response_id);
  }
  const keys = (await received()).map(({ apiKey }) => apiKey);
  expect(keys.slice(-2)).toEqual([`sk-sim-${tenant.slug}`, 'sk-sim-rotated']);
});

test('a model of another provider cannot continue it', async () => {
  const { id: providerId } = await tenant.create('providers', {
    name: 'another',
    type: 'PROVIDER_A',
    baseUrl: `${gateway.simulatorUrl}/v1`,
    apiKey: 'sk-sim-another',
  });
  const other = await tenant.model('other', 'sim', { providerId });
  const { key } = await tenant.key({ modelIds: [tenant.modelId, other] });
  const both = clientOf(key);
  const { id } = await both.responses.create(ask);
  const refused = await refusalOf(
    both.responses.create({ ...ask, model: 'other', previous_response_id: id }),
  );
  expect(refused).toMatchObject(REFUSED);
  expect(refused.message).toContain('another provider');
});

describe('stored responses', () => {
  let blue: OpenAI;
  let green: OpenAI;
  let ada: OpenAI;

  beforeAll(async () => {
    const { teamId, userId } = await newMember(tenant);
    const { id: greenId } = await tenant.create('teams', { name: 'green' });
    const keyOf = async (over: object) => clientOf((await tenant.key(over)).key);
    blue = await keyOf({ type: 'TEAM', teamId });
    green = await keyOf({ type: 'TEAM', teamId: greenId });
    ada = await keyOf({ type: 'USER', userId });
  });

  const notFound = async (asked: Promise<unknown>) => {
    const error: unknown = await asked.catch((caught: unknown) => caught);
    if (!(error instanceof OpenAI.NotFoundError)) throw new Error(`not a 404: ${String(error)}`);
    return { code: error.code, param: error.param, message: error.message };
  };

  test('are read, listed and deleted by the team that made them and by the organisation', async () => {
    const made = await blue.responses.create(ask);
    for (const own of [blue, client]) {
      const read = await own.responses.retrieve(made.id);
      expect(read).toMatchObject({ id: made.id, output: made.output, usage: made.usage });
      const { data } = await own.responses.inputItems.list(made.id, { limit: 1 });
      expect(data).toMatchObject([{ role: 'user', content: [{ text: 'Remember this' }] }]);
    }
    const cancelled = await refusalOf(blue.responses.cancel(made.id));
    expect(cancelled.message).toContain('Cannot cancel a synchronous response');
    await blue.responses.delete(made.id);
    expect((await notFound(blue.responses.retrieve(made.id))).message).toContain(made.id);
    const before = (await received()).length;
    await notFound(client.responses.retrieve(made.id));
    expect((await received()).length).toBe(before);
  });

  test('are unknown to every other team and user, without an upstream call', async () => {
    const { id } = await blue.responses.create(ask);
    const made = id.replace(/.{4}$/, '0000');
    const before = (await received()).length;
    for (const other of [green, ada]) {
      for (const act of [
        (of: string) => other.responses.retrieve(of),
        (of: string) => other.responses.delete(of),
        (of: string) => other.responses.cancel(of),
        (of: string) => other.responses.inputItems.list(of),
      ]) {
        const theirs = await notFound(act(id));
        const nobodys = await notFound(act(made));
        expect({ ...theirs, message: theirs.message.replace(id, made) }).toEqual(nobodys);
      }
      const continued = (of: string) =>
        refusalOf(other.responses.create({ ...ask, previous_response_id: of }));
      expect(await continued(id)).toEqual(await continued(made));
      expect(await continued(id)).toMatchObject(REFUSED);
    }
    expect((await received()).length).toBe(before);
    expect((await blue.responses.retrieve(id)).id).toBe(id);
  });
});

describe('an item that the upstream keeps', () => {
  const referring = (id: string) => ({
    ...ask,
    input: [
      { type: 'item_reference' as const, id },
      { role: 'user' as const, content: 'And this?' },
    ],
  });
  const notFound = async (asked: Promise<unknown>, id: string) => {
    const error: unknown = await asked.catch((caught: unknown) => caught);
    if (!(error instanceof OpenAI.NotFoundError)) throw new Error(`not a 404: ${String(error)}`);
    expect(error).toMatchObject({ code: 'stored_object_not_found', param: 'input' });
    return error.message.replace(id, 'ID');
  };

  test('is referred to by its owner, unary and streamed, and unknown to every other team', async () => {
    const { id: teamId } = await tenant.create('teams', { name: 'red' });
    const { id: greenId } = await tenant.create('teams', { name: 'yellow' });
    const blue = clientOf((await tenant.key({ type: 'TEAM', teamId })).key);
    const green = clientOf((await tenant.key({ type: 'TEAM', teamId: greenId })).key);
    const made = await blue.responses.create(ask);
    const streamed = await blue.responses.stream({ ...ask, stream: true }).finalResponse();
    for (const { output } of [made, streamed]) {
      const id = output[0]?.id ?? '';
      for (const own of [blue, client]) {
        const { usage } = await own.responses.create(referring(id));
        expect(usage?.input_tokens).toBeGreaterThan(made.usage?.input_tokens ?? Infinity);
      }
      const before = (await received()).length;
      const theirs = await notFound(green.responses.create(referring(id)), id);
      const nobodys = await notFound(green.responses.create(referring('msg_0')), 'msg_0');
      expect(theirs).toBe(nobodys);
      expect((await received()).length).toBe(before);
    }
  });
});

test('an input token count is free, and a compacted conversation is booked', async () => {
  const first = await client.responses.create(ask);
  const counted = await client.responses.inputTokens.count(ask);
  expect(counted).toEqual({
    object: 'response.input_tokens',
    input_tokens: first.usage?.input_tokens,
  });
  const whole = { previous_response_id: first.id };
  const longer = await client.responses.inputTokens.count({ ...whole, input: 'And this' });
  expect(longer.input_tokens).toBeGreaterThan(counted.input_tokens);
  const short = client.responses.compact({ model: 'chat', ...whole });
  const { data, response } = await short.withResponse();
  expect(data).toMatchObject({
    object: 'response.compaction',
    output: [{ type: 'compaction' }],
    usage: { output_tokens: 20 },
  });
  const { input_tokens: input, output_tokens: output } = data.usage;
  const record = await recordOf(gateway, tenant, response.headers.get('x-request-id') ?? '');
  expect(record).toMatchObject({
    operation: 'response_compact',
    usageQuality: 'EXACT',
  });
  const { costUsd } = record as { costUsd: string };
  expect(Number(costUsd) * 1e9).toBeCloseTo(input * 2_500 + output * 10_000);
});
