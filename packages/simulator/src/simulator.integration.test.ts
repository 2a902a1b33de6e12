import { request, type IncomingMessage } from 'node:http';

import type { Bill, BillLine } from './bill';
import type { ReceivedRequest } from './received';
import { startSimulator, type Simulator } from './simulator';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ SIMULATOR_BILL_LINES: 8, SIMULATOR_KEPT_REQUESTS: 3 });
});
afterAll(() => simulator.stop());
beforeEach(async () => {
  await fetch(`${simulator.url}/_sim/bill`, { method: 'DELETE' });
  await fetch(`${simulator.url}/_sim/requests`, { method: 'DELETE' });
});

interface Asking {
  body?: object;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

function ask(model: string, { body = {}, headers = {}, signal }: Asking = {}): Promise<Response> {
  return fetch(`${simulator.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer key-1', 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello there' }], ...body }),
    ...(signal ? { signal } : {}),
  });
}

async function bill(): Promise<Bill> {
  return (await (await fetch(`${simulator.url}/_sim/bill`)).json()) as Bill;
}

const WAIT_MS = 20_000;

/** Polls until a value is there, because the simulator notices a disconnect asynchronously. */
async function eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (Date.now() > deadline) throw new Error(`not in time: ${what}`);
  }
}

function firstLine(): Promise<BillLine> {
  return eventually('a line on the bill', async () => (await bill()).requests[0]);
}

async function received(query = ''): Promise<ReceivedRequest[]> {
  const answer = await fetch(`${simulator.url}/_sim/requests${query}`);
  const { data } = (await answer.json()) as { data: ReceivedRequest[] };
  return data;
}

function arrived(model: string): Promise<ReceivedRequest> {
  return eventually(`a request for ${model}`, async () => (await received(`?model=${model}`))[0]);
}

test('the bill has a line for each answer, under the answer’s id', async () => {
  const { id } = (await (await ask('sim')).json()) as { id: string };
  expect(await bill()).toMatchObject({
    total: { requests: 1, completed: 1, aborted: 0, input: 9, output: 6 },
    models: { sim: { requests: 1, output: 6 } },
    apiKeys: { 'key-1': { requests: 1, output: 6 } },
    requests: [
      {
        id,
        model: 'sim',
        apiKey: 'key-1',
        stream: false,
        completed: true,
        generatedTokens: 6,
        usage: { input: 9, cacheRead: 0, output: 6 },
      },
    ],
    forgottenLines: 0,
  });
});

test('a stream whose client disconnects is charged for the generated output', async () => {
  const leaving = new AbortController();
  const model = 'sim-tokens-10000.pace-1';
  const answer = await ask(model, { body: { stream: true }, signal: leaving.signal });
  const reader = answer.body?.getReader();
  for (let read = 0; read < 5; read++) await reader?.read();
  leaving.abort();
  await reader?.cancel().catch(() => undefined);
  const line = await firstLine();
  expect(line).toMatchObject({ model, stream: true, completed: false });
  expect(line.generatedTokens).toBeGreaterThan(0);
  expect(line.generatedTokens).toBeLessThan(10_000);
  expect(line.usage.output).toBe(line.generatedTokens);
});

test.each(['timeout', 'stall-after-0', 'stall-after-2', 'pace-50.tokens-100000'])(
  'sim-%s waits until the client disconnects, streamed or not',
  async (directive) => {
    for (const stream of [true, false]) {
      const leaving = new AbortController();
      let answered = false;
      const asked = ask(`sim-${directive}`, { body: { stream }, signal: leaving.signal })
        .then((answer) => answer.text())
        .then(() => (answered = true));
      await arrived(`sim-${directive}`);
      // Other requests complete in the meantime.
      for (let n = 0; n < 2; n++) await (await ask('sim')).text();
      expect(answered).toBe(false);
      leaving.abort();
      await expect(asked).rejects.toThrow();
      await fetch(`${simulator.url}/_sim/requests`, { method: 'DELETE' });
    }
  },
);

test.each([true, false])(
  'an error, garbage and a timeout cost nothing (stream: %s)',
  async (stream) => {
    await (await ask('sim-status-500', { body: { stream } })).text();
    await (await ask('sim-garbage', { body: { stream } })).text();
    expect((await bill()).requests).toEqual([]);
  },
);

test('a status has an error body, and retry-after on request', async () => {
  const answer = await ask('sim-status-429.retry-after-7');
  expect(answer.status).toBe(429);
  expect(answer.headers.get('retry-after')).toBe('7');
  expect(await answer.json()).toMatchObject({
    error: { type: 'rate_limit_error', code: 'simulated_429', param: null },
  });
});

test('the first requests can fail, per model and key', async () => {
  const statuses: number[] = [];
  for (let n = 0; n < 4; n++) statuses.push((await ask('sim-fail-first-2')).status);
  expect(statuses).toEqual([503, 503, 200, 200]);
});

test('a stream can end without its last event', async () => {
  const text = await (await ask('sim-end-after-3', { body: { stream: true } })).text();
  expect(text).not.toContain('[DONE]');
  expect(text.match(/"content":"[^"]+"/g)).toHaveLength(3);
  expect((await bill()).requests).toMatchObject([{ completed: false, generatedTokens: 3 }]);
});

test('usage can be omitted, even if requested', async () => {
  const options = { stream: true, stream_options: { include_usage: true } };
  expect(await (await ask('sim-no-usage', { body: options })).text()).not.toContain('"usage"');
  expect(await (await ask('sim-no-usage')).json()).not.toHaveProperty('usage');
  expect((await bill()).total).toMatchObject({ requests: 2, output: 12 });
});

test('line ends and chunk boundaries of a stream can vary with the same content', async () => {
  const said = (text: string): string =>
    [...text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join('');
  const plain = await (await ask('sim', { body: { stream: true } })).text();
  const varied = await (await ask('sim-crlf.split-3', { body: { stream: true } })).text();
  expect(varied).toContain('\r\n\r\n');
  expect(said(varied)).toBe(said(plain));
});

test('an answer can be compressed', async () => {
  const answer = await ask('sim-gzip');
  expect(answer.headers.get('content-encoding')).toBe('gzip');
  expect(await answer.json()).toMatchObject({ object: 'chat.completion' });
});

test('a broken unary answer is half an answer', async () => {
  const answer = await ask('sim-cut-after-1');
  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow();
});

test('a header can have directives', async () => {
  const answer = await ask('any-model', { headers: { 'x-sim-directives': 'status-418' } });
  expect(answer.status).toBe(418);
});

test('the latest requests can be read back', async () => {
  for (const user of ['a', 'b', 'c', 'd']) {
    await (await ask('sim', { body: { user }, headers: { 'x-probe': user } })).text();
  }
  const data = await received('?model=sim&apiKey=key-1');
  expect(data.map(({ headers }) => headers['x-probe'])).toEqual(['b', 'c', 'd']);
  expect(data[0]).toMatchObject({
    method: 'POST',
    path: '/v1/chat/completions',
    body: { model: 'sim', user: 'b' },
  });
});

test('totals include lines that are no longer listed', async () => {
  for (let n = 0; n < 30; n++) await (await ask('sim')).text();
  const { requests, total, forgottenLines } = await bill();
  expect(total.requests).toBe(30);
  expect(requests.length).toBeLessThanOrEqual(11);
  expect(requests.length + forgottenLines).toBe(30);
});

test.each([
  ['no key', { headers: { authorization: '' } }, 401, 'invalid_api_key'],
  ['no messages', { body: { messages: [] } }, 400, 'missing'],
  ['no model', { body: { model: '' } }, 400, 'missing'],
])('%s is refused', async (_, asking, status, code) => {
  const answer = await ask('sim', asking);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ error: { code } });
});

test('a body that is not JSON is refused', async () => {
  const answer = await fetch(`${simulator.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer key-1' },
    body: '{"model"',
  });
  expect(answer.status).toBe(400);
});

test('the cloud-hosted path requires its api-version', async () => {
  const path = `${simulator.url}/openai/deployments/sim/chat/completions`;
  const asking = {
    method: 'POST',
    headers: { 'api-key': 'azure-key' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] }),
  };
  expect((await fetch(path, asking)).status).toBe(404);
  expect((await fetch(`${path}?api-version=2024-10-21`, asking)).status).toBe(200);
  expect((await bill()).apiKeys).toHaveProperty('azure-key');
});

test('a slow reader causes backpressure, so the simulator does not buffer the whole stream', async () => {
  const model = 'sim-tokens-200000';
  const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hi' }] });
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { authorization: 'Bearer key-1', 'content-length': Buffer.byteLength(body) };
    const options = { method: 'POST', headers };
    const call = request(`${simulator.url}/v1/chat/completions`, options, resolve);
    call.on('error', reject);
    call.end(body);
  });
  // Headers have arrived and nothing is read: the simulator must stop far from the end, and bill
  // only what it wrote until the client disconnects.
  answer.pause();
  for (let n = 0; n < 5; n++) await bill();
  answer.destroy();
  const line = await firstLine();
  expect(line.completed).toBe(false);
  expect(line.generatedTokens).toBeLessThan(200_000);
});
