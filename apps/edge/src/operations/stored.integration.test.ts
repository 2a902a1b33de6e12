// Responses stored at a provider, by id: read, streamed again, cancelled, deleted. These requests
// are free.

import { answerJson, type Received } from '../test-support/fake-upstream';
import {
  allow,
  candidate,
  deny,
  errorOf,
  startHarness,
  type Harness,
} from '../test-support/harness';

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const send = (method: string, path: string, headers: Record<string, string> = {}) =>
  h.send(path, {}, headers, method);

const response = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  output: [],
  usage: { input_tokens: 1_000, output_tokens: 500, total_tokens: 1_500 },
};

function only(): Received {
  const [first] = h.upstream.received;
  if (!first || h.upstream.received.length > 1) throw new Error('not exactly one request');
  return first;
}

test.each([
  ['GET', '/v1/responses/resp_1?include[]=a&include[]=b', '?include%5B%5D=a&include%5B%5D=b'],
  ['DELETE', '/v1/responses/resp_1', ''],
  ['POST', '/v1/responses/resp_1/cancel', ''],
  ['GET', '/v1/responses/resp_1/input_items?limit=2&order=asc', '?limit=2&order=asc'],
])(
  '%s %s goes to the same path, without a body, and its answer comes back',
  async (method, path, query) => {
    h.upstream.script = (res) => answerJson(res, response);
    const answer = await send(method, path);
    expect(await answer.json()).toEqual(response);
    const { headers, raw, ...received } = only();
    expect(received).toMatchObject({ method, path: path.split('?')[0] + query });
    expect(raw).toHaveLength(0);
    expect(headers['content-type']).toBeUndefined();
    expect(h.policy.authorized).toMatchObject([{ model: '', storedId: 'resp_1' }]);
    // The reported usage was charged when the response was made.
    expect(await h.settled()).toMatchObject({
      cancelled: false,
      outcome: 'COMPLETED',
      costNanoUsd: '0',
      usage: { input: 0, output: 0 },
      responseId: 'resp_1',
    });
  },
);

test('a resumed stream is passed on from its position, free of charge', async () => {
  const events = [
    { type: 'response.output_text.delta', item_id: 'm', delta: 'there', sequence_number: 7 },
    { type: 'response.completed', response, sequence_number: 8 },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  h.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.end(events.join(''));
  };
  const answer = await send('GET', '/v1/responses/resp_1?stream=true&starting_after=6');
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  const text = await answer.text();
  for (const event of events) expect(text).toContain(event);
  expect(only().path).toBe('/v1/responses/resp_1?stream=true&starting_after=6');
  expect(await h.settled()).toMatchObject({
    outcome: 'COMPLETED',
    costNanoUsd: '0',
    usage: { input: 0, output: 0 },
  });
});

test('an interrupted resumed stream is free too', async () => {
  h.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const event = { type: 'response.in_progress', response, sequence_number: 1 };
    res.end(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  await (await send('GET', '/v1/responses/resp_1?stream=true')).text();
  expect(await h.settled()).toMatchObject({ costNanoUsd: '0', usage: { input: 0, output: 0 } });
});

test('an id that policy does not know is 404 in the vendor’s format, without an upstream call', async () => {
  const message = "Response with id 'resp_1' not found.";
  h.policy.decide = () => deny('stored_object_not_found', { message });
  for (const [method, path] of [
    ['GET', '/v1/responses/resp_1'],
    ['DELETE', '/v1/responses/resp_1'],
    ['POST', '/v1/responses/resp_1/cancel'],
    ['GET', '/v1/responses/resp_1/input_items'],
  ] as const) {
    const refused = await send(method, path);
    expect(refused.status).toBe(404);
    expect(await errorOf(refused)).toMatchObject({
      message,
      code: 'stored_object_not_found',
      param: null,
    });
  }
  expect(h.upstream.received).toHaveLength(0);
});

test('a response that the provider no longer has is 404 too', async () => {
  h.upstream.script = (res) => {
    res.writeHead(404, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ error: { message: 'gone upstream', type: 'invalid_request_error' } }));
  };
  const refused = await send('GET', '/v1/responses/resp_1');
  expect(refused.status).toBe(404);
  expect((await errorOf(refused)).message).toBe('gone upstream');
});

test.each([
  ['/v1/responses/resp%2F..%2Fmodels', 'response_id'],
  [`/v1/responses/${'x'.repeat(257)}`, 'response_id'],
  ['/v1/responses/r%C3%A9sp', 'response_id'],
  [`/v1/responses/resp_1?after=${'x'.repeat(5_000)}`, 'query'],
])('%.40s is 400 naming %s, before policy is called', async (path, param) => {
  const refused = await send('GET', path);
  expect(refused.status).toBe(400);
  expect(await errorOf(refused)).toMatchObject({ code: 'invalid_request', param });
  expect(h.policy.authorized).toHaveLength(0);
});

test('the cloud-hosted variant has them in its interface without API versions', async () => {
  const azure = candidate({ providerType: 'PROVIDER_F', upstreamModel: 'my-deployment' });
  h.policy.decide = () => allow([azure]);
  h.upstream.script = (res) => answerJson(res, response);
  await send('GET', '/v1/responses/resp_1?api-version=2024-10-21');
  await h.post('/v1/responses', { model: 'house-model', input: 'Hi' });
  expect(h.upstream.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /v1/openai/v1/responses/resp_1',
    'POST /v1/openai/v1/responses',
  ]);
  expect(h.upstream.received[1]?.body).toMatchObject({ model: 'my-deployment' });
});

test('a compatible server is called only for the operations that it has', async () => {
  const server = candidate({ providerType: 'PROVIDER_D', upstreamFormat: 'vllm' });
  h.policy.decide = () => allow([server]);
  h.upstream.script = (res) => answerJson(res, response);
  expect((await send('POST', '/v1/vllm/responses/resp_1/cancel')).status).toBe(200);
  expect((await send('DELETE', '/v1/vllm/responses/resp_1')).status).toBe(404);
  const refused = await send('DELETE', '/v1/responses/resp_1');
  expect(refused.status).toBe(400);
  expect((await errorOf(refused)).message).toContain('resp_1 does not support this operation');
  expect(h.upstream.received).toHaveLength(1);
});
