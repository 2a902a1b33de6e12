import { allow, candidate, deny, startHarness, type Harness } from '../test-support/harness';
import {
  answering,
  begin,
  connectSocket,
  create,
  type SocketClient,
} from './test-support/socket-client';

const LIMIT_BYTES = 1024 * 1024;

let h: Harness;
const clients: SocketClient[] = [];
beforeAll(async () => {
  h = await startHarness({ BODY_LIMIT_BYTES: LIMIT_BYTES });
});
beforeEach(async () => {
  await h.reset();
  h.upstream.script = answering();
  h.policy.decide = () => allow([candidate({ upstreamFormat: 'openai' })]);
});
afterEach(async () => {
  for (const { ws } of clients) ws.terminate();
  await Promise.all(clients.splice(0).map(({ closed }) => closed));
});
afterAll(() => h.stop());

async function open(): Promise<SocketClient> {
  const client = await connectSocket(h.edge.url);
  clients.push(client);
  return client;
}

describe('a response that is not stored', () => {
  test('is continued on its connection: the provider gets all items', async () => {
    const client = await open();
    await client.ask(create({ store: false, input: [{ role: 'user', content: 'One' }] }));
    const more = create({
      store: false,
      input: [{ role: 'user', content: 'Two' }],
      previous_response_id: 'resp_1',
    });
    expect((await client.ask(more)).at(-1)?.response?.id).toBe('resp_2');
    const sent = h.upstream.received[1]?.body;
    expect(sent).not.toHaveProperty('previous_response_id');
    expect(sent?.['input']).toMatchObject([
      { role: 'user', content: 'One' },
      { type: 'message', role: 'assistant', content: [{ text: 'Hello' }] },
      { role: 'user', content: 'Two' },
    ]);
    expect(h.policy.authorized[1]?.previousResponseId).toBe('');
    await client.ask({ ...more, previous_response_id: 'resp_2', input: 'Three' });
    expect(h.upstream.received[2]?.body['input']).toHaveLength(5);
  });

  test('is unknown to another connection', async () => {
    const first = await open();
    await first.ask(create({ store: false }));
    h.policy.decide = () =>
      deny('invalid_request', {
        detailsJson: JSON.stringify({ param: 'previous_response_id' }),
      });
    const second = await open();
    const [refused] = await second.ask(create({ store: false, previous_response_id: 'resp_1' }));
    expect(refused).toMatchObject({
      status: 400,
      error: { code: 'previous_response_not_found', param: 'previous_response_id' },
    });
  });

  test('reasoning that the provider does not keep is left out of what follows', async () => {
    h.upstream.script = (res) => {
      begin(res, 'resp_1');
      const output = [
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'sealed' },
      ];
      const response = {
        id: 'resp_1',
        object: 'response',
        status: 'completed',
        model: 'm',
        output,
        usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
      };
      res.end(
        `event: response.completed\ndata: ${JSON.stringify({ type: 'response.completed', response })}\n\n`,
      );
    };
    const client = await open();
    await client.ask(create({ store: false }));
    await client.ask(create({ store: false, previous_response_id: 'resp_1', input: [] }));
    expect(h.upstream.received[1]?.body['input']).toEqual([
      { type: 'message', role: 'user', content: 'Hi' },
      { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'sealed' },
    ]);
  });

  test('what is not input counts once, however long the conversation is', async () => {
    const client = await open();
    const store = { store: false, instructions: 'x'.repeat(0.4 * LIMIT_BYTES) };
    await client.ask(create(store));
    for (const id of ['resp_1', 'resp_2', 'resp_3']) {
      const frames = await client.ask(create({ ...store, previous_response_id: id }));
      expect(frames.at(-1)?.type).toBe('response.completed');
    }
  });

  test('an input that is no list is refused where it continues one too', async () => {
    const client = await open();
    await client.ask(create({ store: false }));
    const [refused] = await client.ask(
      create({ store: false, previous_response_id: 'resp_1', input: 7 }),
    );
    expect(refused).toMatchObject({ status: 400, error: { param: 'input' } });
    expect(h.upstream.received).toHaveLength(1);
  });

  test('what it and the next message hold together is limited as one body is', async () => {
    const client = await open();
    const half = 'x'.repeat(0.6 * LIMIT_BYTES);
    await client.ask(create({ store: false, input: half }));
    const [refused] = await client.ask(
      create({ store: false, previous_response_id: 'resp_1', input: half }),
    );
    expect(refused).toMatchObject({ status: 400, error: { param: 'input' } });
    expect(h.upstream.received).toHaveLength(1);
  });
});

test('a warm-up is answered without a provider, and may be continued', async () => {
  const client = await open();
  const frames = await client.ask(
    create({ generate: false, store: false, input: [{ role: 'user', content: 'One' }] }),
  );
  const last = frames.at(-1);
  expect(last).toMatchObject({
    type: 'response.completed',
    response: { status: 'completed', output: [] },
  });
  expect(h.policy.authorized).toHaveLength(0);
  const id = last?.response?.id;
  await client.ask(
    create({ store: false, previous_response_id: id, input: [{ role: 'user', content: 'Two' }] }),
  );
  expect(h.upstream.received[0]?.body['input']).toEqual([
    { role: 'user', content: 'One' },
    { role: 'user', content: 'Two' },
  ]);
  expect(h.upstream.received[0]?.body).not.toHaveProperty('generate');
});

test('a warm-up continues nothing that is not remembered here', async () => {
  const client = await open();
  const [refused] = await client.ask(
    create({ generate: false, store: false, previous_response_id: 'resp_0' }),
  );
  expect(refused).toMatchObject({
    status: 400,
    error: { code: 'previous_response_not_found', param: 'previous_response_id' },
  });
});
