// The vendor's own SDK reads the codec's output, so the output is valid in the SDK's terms. The
// last tests pin how the SDK misreads malformed streams: the codec must never produce one.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Anthropic, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  PaymentRequiredError,
  PermissionDeniedError,
  RateLimitError,
  ServiceUnavailableError,
} from '@anthropic-ai/sdk';
import { emptyUsage, gatewayError } from '@tollgate/contracts';

import { encodeTokenCount, anthropicMessages as format } from '.';
import type { ReplyContext } from '../format';
import type { JsonObject, NormalisedResponse, StreamEvent } from '../normalised';
import { streamOf } from '../test-support/arbitraries';
import { writeEvent } from './events';

const context: ReplyContext = {
  requestId: 'req-1',
  provider: 'provider_a',
  model: 'chat',
  createdAtS: 1,
  includeUsage: true,
};
const usage = {
  ...emptyUsage(),
  input: 11,
  cacheRead: 5,
  cacheWrite1h: 2,
  output: 7,
  reasoning: 3,
};
const answer: NormalisedResponse = {
  id: 'msg_1',
  model: 'chat',
  choices: [
    {
      index: 0,
      content: [
        { type: 'thinking', text: 'Hm', signature: 'seal' },
        { type: 'text', text: 'Grüße 🦊' },
        { type: 'tool_call', id: 't1', kind: 'function', name: 'look', arguments: '{"at":1}' },
        { type: 'tool_call', id: 't2', kind: 'function', name: 'now', arguments: '' },
      ],
      stopReason: 'tool_calls',
      rawStopReason: 'tool_calls',
    },
  ],
  usage: { tokens: usage, inputTokens: 18, outputTokens: 7 },
};
const read = {
  id: 'msg_1',
  model: 'chat',
  stop_reason: 'tool_use',
  content: [
    { type: 'thinking', thinking: 'Hm', signature: 'seal' },
    { type: 'text', text: 'Grüße 🦊' },
    { type: 'tool_use', id: 't1', name: 'look', input: { at: 1 } },
    { type: 'tool_use', id: 't2', name: 'now', input: {} },
  ],
  usage: {
    input_tokens: 11,
    cache_read_input_tokens: 5,
    cache_creation_input_tokens: 2,
    output_tokens: 7,
    output_tokens_details: { thinking_tokens: 3 },
  },
};

let respond: (res: ServerResponse) => void = () => undefined;
let requests: { headers: IncomingMessage['headers']; body: JsonObject }[] = [];
let server: Server;
let client: Anthropic;

beforeAll(async () => {
  server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
      requests.push({ headers: req.headers, body });
      respond(res);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  client = new Anthropic({ baseURL: `http://127.0.0.1:${port}`, apiKey: 'key', logLevel: 'off' });
});
afterAll(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});
beforeEach(() => (requests = []));

function sends(text: string): void {
  respond = (res) => {
    res.writeHead(200, { 'content-type': format.streamContentType });
    res.end(text);
  };
}

function write(events: StreamEvent[]): string {
  const encoder = format.createStreamEncoder(context);
  return events.map((event) => encoder.encode(event)).join('');
}

/** The answer as stream events, seals included. */
function events(): StreamEvent[] {
  return streamOf(answer, Array.from).flatMap((event): StreamEvent[] => {
    const opensText = event.type === 'text' && event.text === 'G';
    const seal = { type: 'thinking' as const, choice: 0, signature: 'seal' };
    return opensText ? [seal, event] : [event];
  });
}

const params = {
  model: 'chat',
  max_tokens: 10,
  messages: [{ role: 'user' as const, content: 'Hi' }],
};
const stream = () => client.messages.stream(params).finalMessage();

test('the SDK reads a unary answer with thinking, calls and usage', async () => {
  respond = (res) => {
    res.writeHead(200, { 'content-type': 'application/json', 'request-id': 'req-1' });
    res.end(JSON.stringify(format.encodeResponse(answer, context)));
  };
  const message = await client.messages.create(params);
  expect(message).toMatchObject(read);
  expect(message._request_id).toBe('req-1');
});

test('a stream adds up to the unary answer', async () => {
  sends(write(events()));
  expect(await stream()).toMatchObject(read);
});

test('a stream with keep-alives and comments between its events adds up to the unary answer', async () => {
  const comment = format.encodeComment('x-tollgate-cost-usd: 0.01');
  sends(write(events()).split('\n\n').join(`\n\n${comment}`));
  expect(await stream()).toMatchObject(read);
});

test('a stream passed on by a tap adds up to the unary answer', async () => {
  const tap = format.createUsageTap({ stripUsage: true });
  const out = tap.push(Buffer.from(write(events())));
  sends(Buffer.concat(out).toString());
  expect(await stream()).toMatchObject(read);
});

test('the SDK reads a citation and a refusal', async () => {
  const citation = { url: 'https://x.test', title: 'X' };
  sends(
    write([
      { type: 'start', id: '', model: '' },
      { type: 'text', choice: 0, text: 'a' },
      { type: 'citation', choice: 0, citation },
      { type: 'refusal', choice: 0, text: 'No.' },
      { type: 'stop', choice: 0, reason: 'refusal', rawReason: '' },
      { type: 'end' },
    ]),
  );
  expect(await stream()).toMatchObject({
    id: 'msg_req-1',
    model: 'chat',
    content: [{ type: 'text', text: 'aNo.', citations: [citation] }],
    stop_reason: 'refusal',
    stop_details: { type: 'refusal' },
  });
});

test('a request of the SDK is decoded and encoded unchanged', async () => {
  sends(write(events()));
  const full: Anthropic.MessageCreateParamsStreaming = {
    ...params,
    stream: true,
    system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }],
    tools: [
      { name: 'look', input_schema: { type: 'object' } },
      { type: 'web_search_20250305', name: 'web_search' },
    ],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    thinking: { type: 'enabled', budget_tokens: 1024 },
    output_config: { effort: 'high', format: { type: 'json_schema', schema: {} } },
    metadata: { user_id: 'u' },
    service_tier: 'auto',
    stop_sequences: ['END'],
  };
  for await (const _ of await client.messages.create(full));
  const { body } = requests[0] ?? { body: {} };
  const request = format.decodeRequest(body, {});
  expect(request).toMatchObject({ stream: true, endUser: 'u', parallelToolCalls: false });
  const target = { providerType: 'PROVIDER_B', model: 'chat', strict: true } as const;
  expect(format.encodeRequest(request, target)).toEqual({ body: full, dropped: [] });
});

test('the SDK reads a token count', async () => {
  respond = (res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify(encodeTokenCount(42)));
  };
  const { model, messages } = params;
  expect(await client.messages.countTokens({ model, messages })).toEqual({ input_tokens: 42 });
});

describe('errors', () => {
  test.each([
    ['invalid_request', BadRequestError, 1],
    ['upstream_rejected', BadRequestError, 1],
    ['invalid_api_key', AuthenticationError, 1],
    ['budget_exceeded', PaymentRequiredError, 1],
    ['model_access_denied', PermissionDeniedError, 1],
    ['quota_exceeded', RateLimitError, 1],
    ['rate_limit_exceeded', RateLimitError, 3],
    ['provider_auth_failed', InternalServerError, 1],
    ['upstream_error', InternalServerError, 3],
    ['dependency_unavailable', ServiceUnavailableError, 3],
  ] as const)('%s raises its own error class, with its code', async (code, kind, attempts) => {
    respond = (res) => {
      const error = gatewayError(code, 'Because.');
      const { status, headers, body } = format.encodeError(error, { requestId: 'req-1' });
      // A short wait keeps the SDK's retries from slowing the test.
      res.writeHead(status, { ...headers, 'retry-after-ms': '1' });
      res.end(JSON.stringify(body));
    };
    const failure: unknown = await client.messages.create(params).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(kind);
    expect(failure).toMatchObject({
      requestID: 'req-1',
      apiMessage: 'Because.',
      errorCode: code,
      error: { type: 'error', error: { code }, request_id: 'req-1' },
    });
    expect(requests).toHaveLength(attempts);
  });

  test('an error inside a stream raises', async () => {
    const error = gatewayError('upstream_timeout', 'Too late.');
    const begun = write(events().slice(0, 4));
    sends(begun + format.encodeStreamError(error, { requestId: 'req-1' }));
    const failure: unknown = await stream().catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(APIError);
    expect(failure).toMatchObject({ type: 'timeout_error', errorCode: 'upstream_timeout' });
    expect(requests).toHaveLength(1);
  });

  test('a call with broken arguments raises, and one cut off at the bound has the stop reason length', async () => {
    const called = (reason: 'stop' | 'length'): StreamEvent[] => [
      { type: 'start', id: '', model: '' },
      { type: 'tool_start', choice: 0, tool: 0, kind: 'function', id: 't', name: 'drop_table' },
      { type: 'tool_delta', choice: 0, tool: 0, arguments: '{"name":' },
      { type: 'stop', choice: 0, reason, rawReason: reason },
      { type: 'end' },
    ];
    sends(write(called('stop')));
    await expect(stream()).rejects.toBeInstanceOf(APIError);
    sends(write(called('length')));
    expect(await stream()).toMatchObject({
      content: [{ type: 'tool_use', input: {} }],
      stop_reason: 'max_tokens',
    });
  });
});

describe('how the SDK treats malformed streams', () => {
  const start = writeEvent('message_start', {
    message: format.encodeResponse({ id: 'm', model: 'm', choices: [] }, context),
  });
  const block = (content_block: JsonObject) =>
    writeEvent('content_block_start', { index: 0, content_block });
  const delta = (fields: JsonObject) =>
    writeEvent('content_block_delta', { index: 0, delta: fields });
  const text = block({ type: 'text', text: '' }) + delta({ type: 'text_delta', text: 'a' });
  const close = writeEvent('content_block_stop', { index: 0 });
  const ending = { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } };
  const end = writeEvent('message_delta', ending) + writeEvent('message_stop');
  const whole = start + text + close + end;

  test('the SDK reads a valid stream', async () => {
    sends(whole);
    expect(await stream()).toMatchObject({ content: [{ text: 'a' }] });
  });

  test.each([
    ['events without their names', whole.replace(/^event: .*\n/gm, '')],
    ['no terminal event', start + text + close],
    ['a second start', start + whole],
    ['a message_delta without usage', start + end.replace('"usage"', '"x"')],
    ['a delta without a block', start + delta({ type: 'text_delta', text: 'a' }) + end],
    ['an error without its name', `${start}data: {"error":{"message":"no"}}\n\n`],
  ])('%s: the SDK raises', async (_, bytes) => {
    sends(bytes);
    await expect(stream()).rejects.toThrow();
  });

  test('the SDK loses thinking inside a text block', async () => {
    const lost =
      block({ type: 'text', text: '' }) + delta({ type: 'thinking_delta', thinking: 'x' });
    sends(start + lost + close + end);
    expect((await stream()).content).toEqual([{ type: 'text', text: '' }]);
  });

  test('the SDK reads truncated arguments as empty ones', async () => {
    const cut =
      block({ type: 'tool_use', id: 't', name: 'f', input: {} }) +
      delta({ type: 'input_json_delta', partial_json: '{"a' });
    sends(start + cut + close + end);
    const [call] = (await stream()).content;
    expect(call).toHaveProperty('input', {});
  });

  test('the SDK ignores the terminal event of another format', async () => {
    sends(`${whole}data: [DONE]\n\n`);
    expect(await stream()).toMatchObject({ content: [{ text: 'a' }] });
  });
});
