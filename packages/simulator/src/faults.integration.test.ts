// Every fault, in every format that streams.
import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import type { Bill, BillLine } from './bill';
import { startSimulator, type Simulator } from './simulator';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());
beforeEach(() => fetch(`${simulator.url}/_sim/bill`, { method: 'DELETE' }));

interface Format {
  name: string;
  path: (model: string) => string;
  headers?: Record<string, string>;
  body: object;
  /** Recognises a piece of the answer. */
  piece: RegExp;
  /** Recognises a complete stream. */
  terminal: string;
  error: RegExp;
}

const messages = [{ role: 'user', content: 'Hello there' }];
const contents = [{ role: 'user', parts: [{ text: 'Hello there' }] }];
const bearer = { authorization: 'Bearer key' };
const FORMATS: Format[] = [
  {
    name: 'chat',
    path: () => '/v1/chat/completions',
    body: { messages },
    piece: /"content":"[^"]+"/g,
    terminal: '[DONE]',
    error: /^data: \{"error":\{.*"code":"simulated_error"/m,
  },
  {
    name: 'completions',
    path: () => '/v1/completions',
    body: { prompt: 'Hello there' },
    piece: /"text":"[^"]+"/g,
    terminal: '[DONE]',
    error: /^data: \{"error":\{.*"code":"simulated_error"/m,
  },
  {
    name: 'responses',
    path: () => '/v1/responses',
    body: { input: 'Hello there' },
    piece: /"delta":"[^"]+"/g,
    terminal: 'response.completed',
    error: /^event: error\ndata: \{"type":"error","code":"simulated_error".*"sequence_number":6\}/m,
  },
  {
    name: 'messages',
    path: () => '/v1/messages',
    headers: { 'x-api-key': 'key', 'anthropic-version': '2023-06-01' },
    body: { messages, max_tokens: 100 },
    piece: /"text_delta","text":"[^"]+"/g,
    terminal: 'message_stop',
    error: /^event: error\ndata: \{"type":"error","error":\{"type":"overloaded_error"/m,
  },
  {
    name: 'gemini events',
    path: (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    headers: { 'x-goog-api-key': 'key' },
    body: { contents },
    piece: /"text":"[^"]+"/g,
    terminal: 'finishReason',
    error: /^data: \{"error":\{"code":503,.*"status":"UNAVAILABLE"/m,
  },
  {
    name: 'gemini array',
    path: (model) => `/v1beta/models/${model}:streamGenerateContent`,
    headers: { 'x-goog-api-key': 'key' },
    body: { contents },
    piece: /"text":"[^"]+"/g,
    terminal: 'finishReason',
    error: /^\{"error":\{"code":503,.*"status":"UNAVAILABLE"/m,
  },
];
const CASES = FORMATS.map((format) => [format.name, format] as const);

function ask(format: Format, model: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${simulator.url}${format.path(model)}`, {
    method: 'POST',
    headers: format.headers ?? bearer,
    body: JSON.stringify({ model, stream: true, ...format.body }),
    ...(signal ? { signal } : {}),
  });
}

/** The data received until the stream ended or broke. */
async function read(answer: Response): Promise<{ text: string; broken: boolean }> {
  let text = '';
  try {
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) text += decoder.decode(chunk, { stream: true });
    return { text, broken: false };
  } catch {
    return { text, broken: true };
  }
}

function pieces(text: string, { piece }: Format): string {
  const all = text.match(piece) ?? [];
  // Some formats repeat the whole text at the end of an item.
  return all.slice(0, 6).join('');
}

const WAIT_MS = 20_000;

async function line(): Promise<BillLine> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const bill = (await (await fetch(`${simulator.url}/_sim/bill`)).json()) as Bill;
    const [first] = bill.requests;
    if (first !== undefined) return first;
    if (Date.now() > deadline) throw new Error('no line on the bill in time');
  }
}

describe.each(CASES)('%s', (_, format) => {
  test('is complete without a directive', async () => {
    const { text } = await read(await ask(format, 'sim'));
    expect(text).toContain(format.terminal);
    expect(await line()).toMatchObject({ stream: true, completed: true, generatedTokens: 6 });
  });

  test.each([0, 3])('breaks after %i tokens', async (tokens) => {
    const { broken, text } = await read(await ask(format, `sim-cut-after-${tokens}`));
    expect(broken).toBe(true);
    expect(text.match(format.piece) ?? []).toHaveLength(tokens);
    expect(await line()).toMatchObject({ completed: false, generatedTokens: tokens });
  });

  test('ends cleanly without its last event', async () => {
    for (const tokens of [3, 1000]) {
      const { broken, text } = await read(await ask(format, `sim-end-after-${tokens}`));
      expect(broken).toBe(false);
      expect(text).not.toContain(format.terminal);
    }
    expect(await line()).toMatchObject({ completed: false, generatedTokens: 3 });
  });

  test('sends an error after some tokens', async () => {
    const { text } = await read(await ask(format, 'sim-error-after-2'));
    expect(text).toMatch(format.error);
    expect(text).not.toContain(format.terminal);
  });

  test('breaks or ends after any number of bytes, and is complete if it is shorter', async () => {
    // The model's name stays the same, because answers repeat it; the directive is in the header.
    const limited = (directive: string) =>
      ask(
        { ...format, headers: { ...(format.headers ?? bearer), 'x-sim-directives': directive } },
        'sim',
      );
    const whole = Buffer.from((await read(await ask(format, 'sim'))).text);
    for (const bytes of [0, 1, whole.length - 1]) {
      const cut = await read(await limited(`cut-at-${bytes}`));
      expect(cut.broken).toBe(true);
      const ended = await read(await limited(`end-at-${bytes}`));
      expect(ended.broken).toBe(false);
      expect(Buffer.byteLength(ended.text)).toBe(bytes);
    }
    const all = await read(await limited(`cut-at-${whole.length + 64}`));
    expect(all.broken).toBe(false);
    const bill = (await (await fetch(`${simulator.url}/_sim/bill`)).json()) as Bill;
    expect(bill.total).toMatchObject({ requests: 8, completed: 2, aborted: 6 });
  });

  test('ends twice, is labelled HTML, has long headers, or is reset', async () => {
    const once = (await read(await ask(format, 'sim'))).text.split(format.terminal).length;
    const { text } = await read(await ask(format, 'sim-twice'));
    expect(text.split(format.terminal).length).toBeGreaterThan(once);
    expect((await ask(format, 'sim-html')).headers.get('content-type')).toMatch(/^text\/html/);
    expect((await ask(format, 'sim-head-5000')).headers.get('x-sim-padding')).toHaveLength(5_000);
    await expect(ask(format, 'sim-reset')).rejects.toThrow();
  });

  test('sends an error before any token', async () => {
    const { text } = await read(await ask(format, 'sim-error-after-0'));
    expect(text).toContain('"error"');
    if (format.name === 'gemini array') expect(JSON.parse(text)).toMatchObject([{ error: {} }]);
  });

  test('can be garbage, at once or after some tokens', async () => {
    expect((await read(await ask(format, 'sim-garbage'))).text).toMatch(/^this is not the stream/);
    const late = await read(await ask(format, 'sim-garbage-after-2'));
    expect(late.text).toContain('{"this is not": the event');
    expect(late.text.match(format.piece)).toHaveLength(2);
  });

  test('stalls until the client disconnects', async () => {
    const leaving = new AbortController();
    const answer = await ask(format, 'sim-stall-after-2', leaving.signal);
    const reading = read(answer);
    // Another request completes in the meantime.
    await (await ask(format, 'sim-garbage')).text();
    leaving.abort();
    const { broken, text } = await reading;
    expect(broken).toBe(true);
    expect(text).not.toContain(format.terminal);
    expect(await line()).toMatchObject({ completed: false, generatedTokens: 2 });
  });

  test('has the same content in every framing', async () => {
    const plain = await read(await ask(format, 'sim'));
    for (const manner of ['crlf', 'split-1', 'gzip', 'br', 'crlf.split-7', 'pings']) {
      const varied = await read(await ask(format, `sim-${manner}`));
      expect(pieces(varied.text, format)).toBe(pieces(plain.text, format));
      expect(varied.text).toContain(format.terminal);
    }
  });

  test.each(['gzip', 'br'] as const)(
    'is compressed as %s, and cut after the sent bytes',
    async (packing) => {
      const model = `sim-${packing}`;
      const bytes = await raw(format, model);
      expect(bytes.headers['content-encoding']).toBe(packing);
      const text = (packing === 'br' ? brotliDecompressSync : gunzipSync)(bytes.body).toString();
      expect(text).toContain(format.terminal);
      const cut = await read(await ask(format, `${model}.cut-after-2`));
      expect(cut.broken).toBe(true);
    },
  );

  test('refuses with a status and retry-after', async () => {
    const answer = await ask(format, 'sim-status-429.retry-after-7');
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('7');
  });

  test('answers with the request’s parameters', async () => {
    const model = 'sim-params';
    const { text } = await read(
      await ask({ ...format, body: { ...format.body, max_tokens: 500, probe: 'Fox' } }, model),
    );
    expect(text.replaceAll(/[^A-Za-z]/g, '')).toMatch(/p.*r.*o.*b.*e.*F.*o.*x/);
    expect(text).not.toContain('You said');
  });
});

/** Without decompression. */
function raw(format: Format, model: string) {
  return new Promise<{ headers: NodeJS.Dict<string | string[]>; body: Buffer }>(
    (resolve, reject) => {
      const options = { method: 'POST', headers: format.headers ?? bearer };
      const call = request(`${simulator.url}${format.path(model)}`, options, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => resolve({ headers: answer.headers, body: Buffer.concat(chunks) }));
        answer.on('error', reject);
      });
      call.on('error', reject);
      call.end(JSON.stringify({ model, stream: true, ...format.body }));
    },
  );
}

test.each([
  ['/v1/embeddings', { input: 'x' }],
  ['/rerank', { query: 'x', documents: ['x'] }],
  ['/v1/images/generations', { prompt: 'x' }],
])('%s breaks, fails and is compressed as chat is', async (path, body) => {
  const send = (model: string) =>
    fetch(`${simulator.url}${path}`, {
      method: 'POST',
      headers: bearer,
      body: JSON.stringify({ model, ...body }),
    });
  expect((await send('sim-status-503')).status).toBe(503);
  expect((await send('sim-error-after-0')).status).toBe(500);
  await expect((await send('sim-cut-after-0')).text()).rejects.toThrow();
  await expect((await send('sim-garbage')).json()).rejects.toThrow();
  await expect((await send('sim-end-after-0')).json()).rejects.toThrow();
  expect((await send('sim-br')).headers.get('content-encoding')).toBe('br');
  const quiet = (await (await send('sim-no-usage')).json()) as { usage?: object };
  expect(quiet.usage ?? {}).toEqual({});
});

test.each([
  [
    'status-402',
    {
      message: 'Insufficient Balance (simulated)',
      type: 'unknown_error',
      param: null,
      code: 'invalid_request_error',
    },
  ],
  ['status-402.openrouter', { message: 'Insufficient Balance (simulated)', code: 402 }],
])('%s refuses for want of credit in the words of a vendor', async (directives, error) => {
  const answer = await fetch(`${simulator.url}/v1/chat/completions`, {
    method: 'POST',
    headers: bearer,
    body: JSON.stringify({ model: `sim-${directives}`, messages: [] }),
  });
  expect(answer.status).toBe(402);
  expect(await answer.json()).toEqual({ error });
});

test('speech breaks after some of its audio', async () => {
  const send = (model: string) =>
    fetch(`${simulator.url}/v1/audio/speech`, {
      method: 'POST',
      headers: bearer,
      body: JSON.stringify({ model, input: 'Hello there', voice: 'alloy' }),
    });
  for (const fault of ['cut-after-2', 'error-after-2']) {
    const { broken, text } = await read(await send(`sim-${fault}`));
    expect(broken).toBe(true);
    expect(text).toHaveLength(2_000);
  }
  expect(await line()).toMatchObject({ operation: 'speech', usage: { audioOutput: 2 } });
});
