// The vendor's own SDK reads the codec's output, so the output is valid in the SDK's terms. The
// last tests pin how the SDK misreads malformed streams: the codec must never produce one.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ApiError,
  GoogleGenAI,
  type GenerateContentParameters,
  type GenerateContentResponse,
} from '@google/genai';
import { emptyUsage, gatewayError } from '@tollgate/contracts';

import { encodeTokenCount, geminiGenerate as format, geminiGenerateArray } from '.';
import type { Format, ReplyContext } from '../format';
import type { JsonObject, NormalisedResponse, StreamEvent } from '../normalised';

const context: ReplyContext = {
  requestId: 'req-1',
  provider: 'provider_a',
  model: 'chat',
  createdAtS: 1,
  includeUsage: true,
};
const tokens = { ...emptyUsage(), input: 11, cacheRead: 5, audioInput: 2, output: 7, reasoning: 3 };
const answer: NormalisedResponse = {
  id: 'r1',
  model: 'gpt',
  choices: [
    {
      index: 0,
      content: [
        { type: 'thinking', text: 'Hm', signature: 'c2VhbA==' },
        { type: 'text', text: 'Grüße 🦊' },
        { type: 'tool_call', id: 't1', kind: 'function', name: 'look', arguments: '{"at":1}' },
        { type: 'tool_call', id: 't2', kind: 'function', name: 'now', arguments: '' },
      ],
      stopReason: 'tool_calls',
      rawStopReason: 'tool_calls',
    },
  ],
  usage: { tokens, inputTokens: 18, outputTokens: 7 },
};
const events: StreamEvent[] = [
  { type: 'start', id: 'r1', model: 'gpt' },
  { type: 'thinking', choice: 0, text: 'Hm' },
  { type: 'thinking', choice: 0, signature: 'c2VhbA==' },
  { type: 'text', choice: 0, text: 'Grüße' },
  { type: 'text', choice: 0, text: ' 🦊' },
  { type: 'tool_start', choice: 0, tool: 0, kind: 'function', id: 't1', name: 'look' },
  { type: 'tool_delta', choice: 0, tool: 0, arguments: '{"at"' },
  { type: 'tool_start', choice: 0, tool: 1, kind: 'function', id: 't2', name: 'now' },
  { type: 'tool_delta', choice: 0, tool: 0, arguments: ':1}' },
  { type: 'stop', choice: 0, reason: 'tool_calls', rawReason: 'tool_calls' },
  { type: 'usage', usage: { tokens, inputTokens: 18, outputTokens: 7 } },
  { type: 'end' },
];

let respond: (res: ServerResponse) => void = () => undefined;
let requests: { url: string; headers: IncomingMessage['headers']; body: JsonObject }[] = [];
let server: Server;
let client: GoogleGenAI;

/** The SDK's default fetch needs a global that the test runner does not expose. */
const plainFetch: typeof fetch = (input, init) => {
  const { dispatcher: _, ...rest }: RequestInit & { dispatcher?: unknown } = init ?? {};
  return fetch(input, rest);
};

beforeAll(async () => {
  server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
      requests.push({ url: req.url ?? '', headers: req.headers, body });
      respond(res);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  client = new GoogleGenAI({
    apiKey: 'key',
    httpOptions: { baseUrl: `http://127.0.0.1:${port}`, fetch: plainFetch },
  });
});
afterAll(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});
beforeEach(() => (requests = []));

function answers(body: JsonObject): void {
  respond = (res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify(body));
  };
}

function sends(text: string): void {
  respond = (res) => {
    res.writeHead(200, { 'content-type': format.streamContentType });
    res.end(text);
  };
}

function write(written: StreamEvent[], as: Format = format): string {
  const encoder = as.createStreamEncoder(context);
  return written.map((event) => encoder.encode(event)).join('');
}

const params: GenerateContentParameters = { model: 'chat', contents: 'Hi' };

async function stream(given = params): Promise<GenerateContentResponse[]> {
  const pieces: GenerateContentResponse[] = [];
  for await (const piece of await client.models.generateContentStream(given)) pieces.push(piece);
  return pieces;
}

/** The SDK's own `text` logs a warning for parts that are not text. */
function textIn(pieces: GenerateContentResponse[]): string {
  const parts = pieces.flatMap((piece) => piece.candidates?.[0]?.content?.parts ?? []);
  return parts.map(({ text, thought }) => (thought ? '' : (text ?? ''))).join('');
}

const usageMetadata = {
  promptTokenCount: 18,
  cachedContentTokenCount: 5,
  candidatesTokenCount: 4,
  thoughtsTokenCount: 3,
  totalTokenCount: 25,
};
const calls = [
  { id: 't1', name: 'look', args: { at: 1 } },
  { id: 't2', name: 'now', args: {} },
];

test('the SDK reads a unary answer with thinking, calls and usage', async () => {
  answers(format.encodeResponse(answer, context));
  const read = await client.models.generateContent(params);
  expect(textIn([read])).toBe('Grüße 🦊');
  expect(read.functionCalls).toEqual(calls);
  expect(read).toMatchObject({ responseId: 'r1', modelVersion: 'chat', usageMetadata });
  expect(read.candidates?.[0]).toMatchObject({
    finishReason: 'STOP',
    content: { parts: [{ text: 'Hm', thought: true, thoughtSignature: 'c2VhbA==' }, {}, {}, {}] },
  });
});

test('a stream adds up to the unary answer', async () => {
  sends(write(events));
  const pieces = await stream();
  expect(textIn(pieces)).toBe('Grüße 🦊');
  expect(pieces.flatMap(({ functionCalls }) => functionCalls ?? [])).toEqual(calls);
  expect(pieces.at(-1)).toMatchObject({ responseId: 'r1', usageMetadata });
  expect(pieces.at(-1)?.candidates?.[0]?.finishReason).toBe('STOP');
  const thoughts = pieces.flatMap((piece) => piece.candidates?.[0]?.content?.parts ?? []);
  expect(thoughts.slice(0, 2)).toEqual([
    { text: 'Hm', thought: true },
    { text: '', thought: true, thoughtSignature: 'c2VhbA==' },
  ]);
});

test('a stream passed on by a tap, or converted to an array by it, adds up to the unary answer', async () => {
  const texts = [
    write(events),
    write(events).replaceAll('\n\n', '\r\n\r\n'),
    write(events, geminiGenerateArray),
  ];
  for (const text of texts) {
    const tap = format.createUsageTap({ stripUsage: false });
    const out = [...tap.push(Buffer.from(text)), ...tap.finish()];
    sends(Buffer.concat(out).toString());
    const pieces = await stream();
    expect(textIn(pieces)).toBe('Grüße 🦊');
    expect(pieces.flatMap(({ functionCalls }) => functionCalls ?? [])).toEqual(calls);
  }
});

test('a chat keeps the seals of other providers and returns them unchanged', async () => {
  const chat = client.chats.create({ model: 'chat' });
  sends(write(events));
  for await (const _ of await chat.sendMessageStream({ message: 'Hi' }));
  answers(format.encodeResponse(answer, context));
  const result = (id: string, name: string) => ({
    functionResponse: { id, name, response: { output: 'a cat' } },
  });
  await chat.sendMessage({ message: [result('t1', 'look'), result('t2', 'now')] });
  const { messages } = format.decodeRequest(requests[1]?.body ?? {}, { model: 'chat' });
  expect(messages.slice(1)).toMatchObject([
    {
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'Hm', signature: 'c2VhbA==' },
        { type: 'text', text: 'Grüße 🦊' },
        { type: 'tool_call', id: 't1', arguments: '{"at":1}' },
        { type: 'tool_call', id: 't2', arguments: '{}' },
      ],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool_result', toolCallId: 't1', content: [{ text: 'a cat' }] },
        { type: 'tool_result', toolCallId: 't2', content: [{ text: 'a cat' }] },
      ],
    },
  ]);
});

test('a request of the SDK is decoded and encoded unchanged', async () => {
  sends(write(events));
  await stream({
    model: 'chat',
    contents: [
      {
        role: 'user',
        parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
      },
    ],
    config: {
      systemInstruction: 'Be brief',
      temperature: 0.5,
      topK: 3,
      maxOutputTokens: 10,
      stopSequences: ['END'],
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object' },
      thinkingConfig: { includeThoughts: true, thinkingBudget: 64 },
      tools: [
        { functionDeclarations: [{ name: 'look', parametersJsonSchema: { type: 'object' } }] },
        { googleSearch: {} },
      ],
      safetySettings: [],
    },
  });
  const [{ url, headers, body } = { url: '', headers: {}, body: {} }] = requests;
  expect(url).toMatch(/\/models\/chat:streamGenerateContent\?alt=sse$/);
  expect(headers['x-goog-api-key']).toBe('key');
  const request = format.decodeRequest(body, { model: 'chat', stream: true });
  expect(request).toMatchObject({
    messages: [
      { role: 'system' },
      { role: 'user', content: [{ type: 'text' }, { type: 'image' }] },
    ],
    tools: [{ kind: 'function', name: 'look', parameters: { type: 'object' } }],
    sampling: { temperature: 0.5, topK: 3, stop: ['END'] },
    maxOutputTokens: 10,
    reasoningBudget: { tokens: 64 },
    responseFormat: { type: 'json_schema', schema: { type: 'object' } },
    extras: { 'tools[1].googleSearch': {} },
  });
  const target = { providerType: 'PROVIDER_C', model: 'up', strict: true } as const;
  expect(format.encodeRequest(request, target)).toEqual({ body, dropped: [] });
});

test('the SDK reads a token count', async () => {
  answers(encodeTokenCount(42));
  const count = await client.models.countTokens({ model: 'chat', contents: 'Hi' });
  expect(count.totalTokens).toBe(42);
});

describe('errors', () => {
  test.each([
    ['invalid_request', 400, 'INVALID_ARGUMENT'],
    ['upstream_rejected', 400, 'INVALID_ARGUMENT'],
    ['invalid_api_key', 401, 'UNAUTHENTICATED'],
    ['budget_exceeded', 402, 'FAILED_PRECONDITION'],
    ['model_access_denied', 403, 'PERMISSION_DENIED'],
    ['rate_limit_exceeded', 429, 'RESOURCE_EXHAUSTED'],
    ['quota_exceeded', 429, 'RESOURCE_EXHAUSTED'],
    ['upstream_error', 502, 'UNAVAILABLE'],
    ['provider_auth_failed', 502, 'INTERNAL'],
    ['dependency_unavailable', 503, 'UNAVAILABLE'],
  ] as const)(
    '%s raises with its status, its code within, at the first attempt',
    async (code, status, word) => {
      respond = (res) => {
        const error = format.encodeError(gatewayError(code, 'Because.'), { requestId: 'req-1' });
        res.writeHead(error.status, { ...error.headers, 'content-type': 'application/json' });
        res.end(JSON.stringify(error.body));
      };
      for (const call of [() => client.models.generateContent(params), () => stream()]) {
        const failure: unknown = await call().catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(ApiError);
        expect(failure).toMatchObject({ status });
        const { error } = JSON.parse((failure as ApiError).message) as { error: JsonObject };
        expect(error).toMatchObject({ code: status, status: word, details: [{ reason: code }] });
      }
      expect(requests).toHaveLength(2);
    },
  );

  test('an error inside a stream raises, after the pieces before it are read', async () => {
    const error = gatewayError('upstream_error', 'Gone.');
    sends(write(events.slice(0, 5)) + format.encodeStreamError(error, { requestId: 'req-1' }));
    const seen: string[] = [];
    const reading = async () => {
      for await (const { text } of await client.models.generateContentStream(params))
        seen.push(text ?? '');
    };
    const failure: unknown = await reading().catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ status: 502 });
    expect(seen.join('')).toBe('Grüße 🦊');
  });
});

describe('how the SDK treats malformed streams', () => {
  const right = write(events);
  const failure = '{"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}';

  test.each([
    ['the terminal event of another format', `${right}data: [DONE]\n\n`],
    ['a last piece without its blank line', right.trimEnd()],
    ['an array', write(events, geminiGenerateArray)],
    ['an error in a frame', `${right}data: ${failure}\n\n`],
  ])('%s raises in the SDK', async (_, text) => {
    sends(text);
    await expect(stream()).rejects.toThrow();
  });

  test.each([
    ['a valid stream', right],
    ['the vendor’s line ends', right.replaceAll('\n\n', '\r\n\r\n')],
    // The vendor's SDK for another language fails on these two.
    ['a comment', right.replace('\n\n', '\n\n: ping\n\n')],
    ['no space after the colon', right.replaceAll('data: ', 'data:')],
    // The SDK accepts these too, so the codec never ends a stream early and never writes such an
    // error.
    ['a truncated stream', write(events.slice(0, 5))],
    ['an error as a named event', `${right}event: error\ndata: ${failure}\n\n`],
    ['an error outside of an event', `${right}${failure}\n\n`],
  ])('the SDK accepts %s as an answer', async (_, text) => {
    sends(text);
    const pieces = await stream();
    expect(textIn(pieces)).toBe('Grüße 🦊');
  });

  test.each([
    ['the terminal event of another format', `${right}data: [DONE]\n\n`],
    ['a comment', right.replace('\n\n', '\n\n: ping\n\n')],
    ['no space after the colon', right.replaceAll('data: ', 'data:')],
    ['a last piece without its blank line', right.trimEnd()],
  ])('a tap repairs %s', async (_, text) => {
    const tap = format.createUsageTap({ stripUsage: false });
    const passed = Buffer.concat([...tap.push(Buffer.from(text)), ...tap.finish()]).toString();
    expect(passed).toMatch(/^(data: \{[^\n]+\n\n)+$/);
    sends(passed);
    expect(textIn(await stream())).toBe('Grüße 🦊');
  });

  test.each([
    ['a truncated stream', right.slice(0, 200)],
    ['an error as a named event', `${right}event: error\ndata: ${failure}\n\n`],
    ['an error outside of an event', `${right}${failure}\n\n`],
  ])('a tap reports %s as an error', (_, text) => {
    const tap = format.createUsageTap({ stripUsage: false });
    tap.push(Buffer.from(text));
    tap.finish();
    expect(tap.report).toMatchObject({ terminal: false, error: { code: 'upstream_error' } });
  });
});
