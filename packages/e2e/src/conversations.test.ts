import { randomUUID } from 'node:crypto';
import axios from 'axios';
import OpenAI from 'openai';

import { newMember, newTenant, startGateway, type Gateway, type Tenant } from '.';
import { expectStatus, recordOf } from './gateway/tenant';

// Conversations against a real stack, through the vendor's own SDK. They are stored at the upstream
// that made them, and belong to the team or user whose key made them.

let gateway: Gateway;
let tenant: Tenant;
let organisation: OpenAI;
let blue: OpenAI;
let green: OpenAI;
let ada: OpenAI;
let stop: () => Promise<void> = async () => undefined;

const clientOf = (key: string): OpenAI =>
  new OpenAI({ baseURL: `${gateway.edgeUrl()}/v1`, apiKey: key, maxRetries: 0 });

beforeAll(async () => {
  // Changes take effect by notification: no cached plan expires while the tests run.
  gateway = await startGateway({ env: { policy: { CONTEXT_FRESH_MS: '600000' } } });
  stop = gateway.stop;
  tenant = await newTenant(gateway);
  const { teamId, userId } = await newMember(tenant);
  const { id: greenId } = await tenant.create('teams', { name: 'green' });
  const keyOf = async (over: object = {}) => clientOf((await tenant.key(over)).key);
  organisation = await keyOf();
  blue = await keyOf({ type: 'TEAM', teamId });
  green = await keyOf({ type: 'TEAM', teamId: greenId });
  ada = await keyOf({ type: 'USER', userId });
});
afterAll(() => stop());

const said = (content: string) => ({ role: 'user' as const, content });
const ask = { model: 'chat', input: 'And this' } as const;

interface Received {
  readonly path: string;
  readonly apiKey: string;
}

/** The requests that the simulator received, for any key. */
async function received(): Promise<Received[]> {
  const { data } = await axios.get(`${gateway.simulatorUrl}/_sim/requests`);
  return (data as { data: Received[] }).data;
}

async function errorOf(asked: Promise<unknown>) {
  const error: unknown = await asked.catch((caught: unknown) => caught);
  if (!(error instanceof OpenAI.APIError)) throw new Error(`no refusal: ${String(error)}`);
  const told: { status: unknown; code: unknown; param: unknown; message: string } = error;
  const { status, code, param, message } = told;
  return { status, code, param, message };
}

const textsOf = (items: readonly object[]): unknown[] =>
  items.map((item) => {
    const { role, content } = item as { role: string; content: { text: string }[] };
    return `${role}: ${String(content[0]?.text)}`;
  });

test('a conversation is created with items, read and changed, free of charge', async () => {
  const making = blue.conversations.create({
    items: [said('Remember this')],
    metadata: { topic: 'weather' },
  });
  const { data: made, response } = await making.withResponse();
  expect(made).toMatchObject({ object: 'conversation', metadata: { topic: 'weather' } });
  expect(await blue.conversations.retrieve(made.id)).toEqual(made);
  const changed = await blue.conversations.update(made.id, { metadata: { topic: 'news' } });
  expect(changed).toEqual({ ...made, metadata: { topic: 'news' } });
  const record = await recordOf(gateway, tenant, response.headers.get('x-request-id') ?? '');
  expect(record).toMatchObject({ operation: 'conversation_create', usageQuality: 'EXACT' });
  expect(Number((record as { costUsd: string }).costUsd)).toBe(0);
});

test('items are added, listed page by page, read and deleted', async () => {
  const { id } = await blue.conversations.create();
  const added = await blue.conversations.items.create(id, { items: ['a', 'b', 'c'].map(said) });
  const ids = added.data.map((item) => item.id);
  const listed: unknown[] = [];
  for await (const item of blue.conversations.items.list(id, { order: 'asc', limit: 2 })) {
    listed.push(item.id);
  }
  expect(listed).toEqual(ids);
  const place = { conversation_id: id };
  const first = String(ids[0]);
  expect(await blue.conversations.items.retrieve(first, place)).toEqual(added.data[0]);
  expect((await blue.conversations.items.delete(first, place)).id).toBe(id);
  const gone = await errorOf(blue.conversations.items.retrieve(first, place));
  expect(gone).toMatchObject({ status: 404 });
  expect((await blue.conversations.items.list(id)).data).toHaveLength(2);
});

test('responses continue it, unary and streamed, and the organisation reads all of it', async () => {
  const { id } = await blue.conversations.create({ items: [said('Remember this')] });
  const alone = await blue.responses.create(ask);
  const first = await blue.responses.create({ ...ask, conversation: id });
  expect(first.conversation).toEqual({ id });
  // Earlier turns are part of the input.
  expect(first.usage?.input_tokens).toBeGreaterThan(alone.usage?.input_tokens ?? Infinity);
  const streamed = blue.responses.stream({ ...ask, conversation: { id } });
  const second = await streamed.finalResponse();
  expect(second.usage?.input_tokens).toBeGreaterThan(first.usage?.input_tokens ?? Infinity);
  const counted = await blue.responses.inputTokens.count({ ...ask, conversation: id });
  expect(counted.input_tokens).toBeGreaterThan(second.usage?.input_tokens ?? Infinity);
  for (const own of [blue, organisation]) {
    const { data } = await own.conversations.items.list(id, { order: 'asc' });
    expect(textsOf(data)).toEqual([
      'user: Remember this',
      'user: And this',
      'assistant: You said: And this',
      'user: And this',
      'assistant: You said: And this',
    ]);
  }
  const both = { ...ask, conversation: id, previous_response_id: first.id };
  expect(await errorOf(blue.responses.create(both))).toMatchObject({
    status: 400,
    param: 'conversation',
  });
});

test('it is unknown to every other team and user, without an upstream call', async () => {
  const { id } = await blue.conversations.create({ items: [said('Secret')] });
  const [item] = (await blue.conversations.items.list(id)).data;
  const place = { conversation_id: id };
  const made = id.replace(/.{4}$/, '0000');
  const stranger = clientOf((await (await newTenant(gateway)).key()).key);
  const before = (await received()).length;
  for (const other of [green, ada, stranger]) {
    for (const act of [
      (of: string) => other.conversations.retrieve(of),
      (of: string) => other.conversations.update(of, { metadata: null }),
      (of: string) => other.conversations.delete(of),
      (of: string) => other.conversations.items.list(of),
      (of: string) => other.conversations.items.create(of, { items: [said('x')] }),
      (of: string) => other.conversations.items.retrieve(String(item?.id), { conversation_id: of }),
      (of: string) => other.conversations.items.delete(String(item?.id), { conversation_id: of }),
      (of: string) => other.responses.create({ ...ask, conversation: of }),
      (of: string) => other.responses.create({ ...ask, conversation: { id: of }, stream: true }),
      (of: string) => other.responses.inputTokens.count({ ...ask, conversation: of }),
    ]) {
      const theirs = await errorOf(act(id));
      expect(theirs).toMatchObject({ status: 404, code: 'stored_object_not_found' });
      const nobodys = await errorOf(act(made));
      expect({ ...theirs, message: theirs.message.replace(id, made) }).toEqual(nobodys);
    }
  }
  expect((await received()).length).toBe(before);
  const kept = await blue.conversations.items.retrieve(String(item?.id), place);
  expect(textsOf([kept])).toEqual(['user: Secret']);
});

test('a deleted conversation is unknown to its owner too', async () => {
  const { id } = await blue.conversations.create();
  expect(await blue.conversations.delete(id)).toMatchObject({ id, deleted: true });
  for (const askForIt of [
    () => blue.conversations.retrieve(id),
    () => organisation.conversations.retrieve(id),
    () => blue.responses.create({ ...ask, conversation: id }),
  ]) {
    expect(await errorOf(askForIt())).toMatchObject({
      status: 404,
      code: 'stored_object_not_found',
    });
  }
});

describe('a key with models of several providers', () => {
  let both: OpenAI;
  beforeAll(async () => {
    const { id: providerId } = await tenant.create('providers', {
      name: 'another',
      type: 'PROVIDER_A',
      baseUrl: `${gateway.simulatorUrl}/v1`,
      apiKey: 'sk-sim-another',
    });
    const other = await tenant.model('other', 'sim', { providerId });
    both = clientOf((await tenant.key({ modelIds: [tenant.modelId, other] })).key);
  });

  test('selects by a header which one stores the conversation, and continues it there', async () => {
    const unsaid = await errorOf(both.conversations.create());
    expect(unsaid).toMatchObject({
      status: 400,
      code: 'invalid_request',
      param: 'x-tollgate-model',
    });
    expect(unsaid.message).toContain('such as "chat", "other"');
    const headers = { 'x-tollgate-model': 'other' };
    const { id } = await both.conversations.create({}, { headers });
    const turn = await both.responses.create({ ...ask, model: 'other', conversation: id });
    expect(turn.conversation).toEqual({ id });
    expect((await received()).slice(-2).map(({ apiKey }) => apiKey)).toEqual([
      'sk-sim-another',
      'sk-sim-another',
    ]);
    const elsewhere = await errorOf(both.responses.create({ ...ask, conversation: id }));
    expect(elsewhere).toMatchObject({ status: 400, param: 'conversation' });
    const nobodys = { headers: { 'x-tollgate-model': 'no-such-model' } };
    expect(await errorOf(both.conversations.create({}, nobodys))).toMatchObject({
      code: 'model_not_found',
    });
  });
});

test('a custom provider stores conversations and responses once it declares support', async () => {
  const customs = await newTenant(gateway, {
    provider: { type: 'CUSTOM', upstreamFormat: 'openai' },
  });
  const settings = { openCompatRoutes: true };
  expectStatus(await gateway.rest.patch(`${customs.base}/settings`, settings), 200);
  const undeclared = clientOf((await customs.key()).key);
  const refused = await errorOf(undeclared.conversations.create());
  expect(refused).toMatchObject({ status: 400, code: 'unsupported_model' });

  const provider = await customs.create('providers', {
    name: `declares-${randomUUID()}`,
    type: 'CUSTOM',
    upstreamFormat: 'openai',
    nativeResponses: true,
    baseUrl: `${gateway.simulatorUrl}/v1`,
    apiKey: 'sk-sim-declared',
  });
  const declared = await customs.model('declared', 'sim', { providerId: provider.id });
  const client = clientOf((await customs.key({ modelIds: [declared] })).key);
  const { id } = await client.conversations.create({ items: [said('Remember this')] });
  const asked = { ...ask, model: 'declared' };
  const turn = await client.responses.create({ ...asked, conversation: id });
  expect((await received()).at(-1)?.path).toBe('/v1/responses');
  expect((await client.conversations.items.list(id)).data).toHaveLength(3);
  expect((await client.responses.retrieve(turn.id)).output).toEqual(turn.output);
  const next = await client.responses.create({ ...asked, previous_response_id: turn.id });
  expect(next.previous_response_id).toBe(turn.id);
  await client.responses.delete(turn.id);
});
