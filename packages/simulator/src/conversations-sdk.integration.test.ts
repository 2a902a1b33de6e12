// The vendor's own SDK uses the simulator's conversations.
import OpenAI from 'openai';

import { startSimulator, type Simulator } from './simulator';

let simulator: Simulator;
let client: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = clientFor('key');
});
afterAll(() => simulator.stop());

function clientFor(apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey, maxRetries: 0 });
}

const said = (content: string) => ({ role: 'user' as const, content });

test('a conversation is created with items, read, changed and deleted', async () => {
  const made = await client.conversations.create({
    items: [said('Hello')],
    metadata: { topic: 'weather' },
  });
  expect(made).toMatchObject({ object: 'conversation', metadata: { topic: 'weather' } });
  expect(await client.conversations.retrieve(made.id)).toEqual(made);
  const changed = await client.conversations.update(made.id, { metadata: { topic: 'news' } });
  expect(changed).toEqual({ ...made, metadata: { topic: 'news' } });
  expect(await client.conversations.delete(made.id)).toEqual({
    id: made.id,
    object: 'conversation.deleted',
    deleted: true,
  });
  await expect(client.conversations.retrieve(made.id)).rejects.toThrow(OpenAI.NotFoundError);
});

test('items are added, listed page by page in either order, read and deleted', async () => {
  const { id } = await client.conversations.create();
  const added = await client.conversations.items.create(id, {
    items: ['a', 'b', 'c'].map(said),
  });
  expect(added).toMatchObject({ object: 'list', has_more: false });
  const ids = added.data.map((item) => item.id);
  const listed: unknown[] = [];
  const pages = client.conversations.items.list(id, { order: 'asc', limit: 2 });
  for await (const item of pages) listed.push(item.id);
  expect(listed).toEqual(ids);
  const [newest] = (await client.conversations.items.list(id, { limit: 1 })).data;
  expect(newest).toMatchObject({ content: [{ type: 'input_text', text: 'c' }] });
  const place = { conversation_id: id };
  const first = String(ids[0]);
  expect(await client.conversations.items.retrieve(first, place)).toEqual(added.data[0]);
  expect((await client.conversations.items.delete(first, place)).id).toBe(id);
  await expect(client.conversations.items.retrieve(first, place)).rejects.toThrow('not found');
});

test('a response reads the earlier items, and adds its input and output', async () => {
  const { id } = await client.conversations.create({ items: [said('Remember this')] });
  const asking = { model: 'sim', input: 'Hello there' };
  const alone = await client.responses.create(asking);
  const turn = await client.responses.create({ ...asking, conversation: id });
  expect(turn.conversation).toEqual({ id });
  expect(turn.usage?.input_tokens).toBeGreaterThan(alone.usage?.input_tokens ?? Infinity);
  await client.responses.stream({ ...asking, conversation: { id } }).finalResponse();
  const { data } = await client.conversations.items.list(id, { order: 'asc' });
  expect(data.map((item) => ('role' in item ? item.role : item.type))).toEqual([
    'user',
    'user',
    'assistant',
    'user',
    'assistant',
  ]);
  expect(data[2]).toEqual(turn.output[0]);
});

test('a background response adds its turn when it is complete', async () => {
  const { id } = await client.conversations.create();
  const asked = { model: 'sim', input: 'Hi', conversation: id, background: true };
  const begun = await client.responses.create(asked);
  expect((await client.conversations.items.list(id)).data).toHaveLength(0);
  while ((await client.responses.retrieve(begun.id)).status !== 'completed');
  expect((await client.conversations.items.list(id)).data).toHaveLength(2);
});

test('an unknown conversation, or another key’s, is 404, and two histories at once are 400', async () => {
  const { id } = await client.conversations.create();
  const other = clientFor('other');
  const asking = { model: 'sim', input: 'Hi' };
  for (const refused of [
    other.conversations.retrieve(id),
    other.conversations.items.list(id),
    other.responses.create({ ...asking, conversation: id }),
    client.responses.create({ ...asking, conversation: 'conv_nobody' }),
  ]) {
    await expect(refused).rejects.toThrow(OpenAI.NotFoundError);
  }
  const { id: previous } = await client.responses.create(asking);
  const both = { ...asking, conversation: id, previous_response_id: previous };
  await expect(client.responses.create(both)).rejects.toThrow('mutually exclusive');
});

test('more items than the vendor allows is 400', async () => {
  const { id } = await client.conversations.create();
  const many = Array.from({ length: 21 }, () => said('x'));
  for (const refused of [
    client.conversations.create({ items: many }),
    client.conversations.items.create(id, { items: many }),
    client.conversations.items.create(id, { items: [] }),
    client.conversations.update(id, { metadata: { long: 'x'.repeat(513) } }),
  ]) {
    await expect(refused).rejects.toThrow(OpenAI.BadRequestError);
  }
});
