// The vendor's own SDK reads the codec's output over a real connection.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gatewayError, type GatewayError } from '@tollgate/contracts';
import OpenAI, { APIError, BadRequestError, RateLimitError } from 'openai';
import type { ResponseInputItem, ResponseStreamEvent } from 'openai/resources/responses/responses';

import { openaiResponses } from '.';
import type { JsonObject, NormalisedRequest, Seal, StreamEvent } from '../normalised';
import { writeSeal } from '../seals';
import { context, everything, plain, usage, whole } from './test-support/samples';

/** The server's next answer. */
type Reply =
  | { kind: 'unary' }
  | { kind: 'stream'; events: readonly StreamEvent[]; rest?: string }
  | { kind: 'error'; error: GatewayError };

const marked = (seal: Seal): string | undefined =>
  writeSeal({ ...seal, sealedBy: 'anthropic-messages' }, 'openai-responses');

let server: Server;
let client: OpenAI;
let reply: Reply = { kind: 'unary' };
let received: NormalisedRequest | undefined;
let attempts = 0;

beforeAll(async () => {
  server = createServer((req, res) => {
    attempts += 1;
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
      const request = openaiResponses.decodeRequest(body, {});
      received = request;
      const replyContext = { ...context, request };
      if (reply.kind === 'error') {
        const { status, headers, body } = openaiResponses.encodeError(reply.error, context);
        res.writeHead(status, { ...headers, 'content-type': 'application/json' });
        res.end(JSON.stringify(body));
      } else if (reply.kind === 'unary') {
        res.writeHead(200, { 'content-type': 'application/json' });
        res.end(JSON.stringify(openaiResponses.encodeResponse(whole, replyContext)));
      } else {
        const encoder = openaiResponses.createStreamEncoder(replyContext);
        res.writeHead(200, { 'content-type': openaiResponses.streamContentType });
        res.write(openaiResponses.encodeComment('keep-alive'));
        for (const event of reply.events) res.write(encoder.encode(event));
        res.end(reply.rest ?? '');
      }
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  client = new OpenAI({ apiKey: 'k', baseURL: `http://127.0.0.1:${port}/v1` });
});

afterAll(async () => {
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
});

beforeEach(() => {
  attempts = 0;
});

const ask = { model: 'chat', input: 'Hi', instructions: 'Be brief.' };

async function stream(events: readonly StreamEvent[], rest = ''): Promise<ResponseStreamEvent[]> {
  reply = { kind: 'stream', events, rest };
  const seen: ResponseStreamEvent[] = [];
  for await (const event of await client.responses.create({ ...ask, stream: true })) {
    seen.push(event);
  }
  return seen;
}

test('the SDK reads a unary answer', async () => {
  reply = { kind: 'unary' };
  const answer = await client.responses.create(ask);
  expect(answer.output_text).toBe('Hi 日本🦊');
  expect(answer).toMatchObject({
    object: 'response',
    status: 'completed',
    instructions: 'Be brief.',
    usage: {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 4 },
      total_tokens: 17,
    },
  });
});

test('the SDK reads a stream, event by event', async () => {
  const seen = await stream(everything);
  expect(seen.map((event) => event.sequence_number)).toEqual(seen.map((_, index) => index));
  const text = seen.map((event) =>
    event.type === 'response.output_text.delta' ? event.delta : '',
  );
  expect(text.join('')).toBe('Hi 日本🦊');
  expect(seen.at(-1)).toMatchObject({ type: 'response.completed' });
});

test('the stream helper of the SDK assembles the unary answer', async () => {
  reply = { kind: 'stream', events: everything };
  const helper = client.responses.stream(ask);
  let calls = '';
  helper.on('response.function_call_arguments.delta', ({ delta }) => void (calls += delta));
  const final = await helper.finalResponse();
  expect(calls).toBe('{"at":1}');
  expect(final.output_text).toBe('Hi 日本🦊');
  expect(final.output).toMatchObject([
    {
      type: 'reasoning',
      summary: [{ text: 'Let me see.' }],
      encrypted_content: marked({ signature: 'EqQB+/==' }),
    },
    { type: 'reasoning', summary: [], encrypted_content: marked({ redacted: 'sealed' }) },
    {
      type: 'message',
      content: [
        { type: 'output_text', annotations: [{ type: 'url_citation', end_index: 2 }] },
        { type: 'refusal', refusal: 'No more.' },
      ],
    },
    { type: 'image_generation_call', result: 'iVBORw==' },
    { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"at":1}' },
    { type: 'custom_tool_call', call_id: 'call_2', name: 'free', input: 'any"thing' },
  ]);
});

test('an answer returned as input is the same conversation', async () => {
  reply = { kind: 'unary' };
  const { output } = await client.responses.create(ask);
  const results = [
    { type: 'function_call_output' as const, call_id: 'call_1', output: 'a cat' },
    { type: 'custom_tool_call_output' as const, call_id: 'call_2', output: 'purring' },
  ];
  const question = { role: 'user' as const, content: 'Hi' };
  const said = output as ResponseInputItem[];
  await client.responses.create({ model: 'chat', input: [question, ...said, ...results] });
  const [, turn, first, second] = received?.messages ?? [];
  const meant = whole.choices[0]?.content.filter(({ type }) => type !== 'image');
  expect(turn?.content).toEqual(meant);
  expect(first?.content).toMatchObject([{ type: 'tool_result', toolCallId: 'call_1' }]);
  expect(second?.content).toMatchObject([{ type: 'tool_result', toolCallId: 'call_2' }]);
});

test('structured output is parsed', async () => {
  const text = (said: string): StreamEvent => ({ type: 'text', choice: 0, text: said });
  const [start, , , ...end] = plain;
  reply = { kind: 'stream', events: start ? [start, text('{"a":'), text('1}'), ...end] : [] };
  const helper = client.responses.stream({
    ...ask,
    text: {
      format: {
        type: 'json_schema',
        name: 'answer',
        strict: true,
        schema: { type: 'object', properties: { a: { type: 'integer' } } },
      },
    },
  });
  expect((await helper.finalResponse()).output_text).toBe('{"a":1}');
  expect(received?.responseFormat).toMatchObject({ type: 'json_schema', name: 'answer' });
});

test('a stream cut off at a bound is incomplete', async () => {
  const cut = plain.map((event) =>
    event.type === 'stop' ? { ...event, reason: 'length' as const } : event,
  );
  reply = { kind: 'stream', events: cut };
  const final = await client.responses.stream(ask).finalResponse();
  expect(final).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    output_text: 'Hello',
  });
});

test('an error in a stream is a failed response, with and without the helper', async () => {
  const error = gatewayError('upstream_timeout', 'Too late.');
  const events: StreamEvent[] = [
    ...plain.slice(0, 3),
    { type: 'error', error, fault: 'UPSTREAM_ERROR' },
  ];
  const failed = {
    status: 'failed',
    error: { code: 'server_error', type: 'upstream_timeout', message: 'Too late.' },
  };
  expect((await stream(events)).at(-1)).toMatchObject({
    type: 'response.failed',
    response: failed,
  });
  reply = { kind: 'stream', events };
  expect(await client.responses.stream(ask).finalResponse()).toMatchObject(failed);
});

test('a stream that the gateway ends continues where the upstream stopped', async () => {
  const upstream = openaiResponses.createStreamEncoder(context);
  const begun = plain.slice(0, 3).map((event) => upstream.encode(event));
  const tap = openaiResponses.createUsageTap({ stripUsage: false });
  tap.push(Buffer.from(begun.join('')));
  for (const [end, status] of [
    [tap.ending?.fail(gatewayError('upstream_error', 'Gone.')), 'failed'],
    [tap.ending?.cut(usage.tokens), 'incomplete'],
  ] as const) {
    reply = { kind: 'stream', events: plain.slice(0, 3), rest: end ?? '' };
    const final = await client.responses.stream(ask).finalResponse();
    expect(final).toMatchObject({ status, output_text: 'Hello' });
  }
});

test.each([
  ['invalid_request', BadRequestError, 400, 1],
  ['unsupported_parameter', BadRequestError, 400, 1],
  ['invalid_api_key', OpenAI.AuthenticationError, 401, 1],
  ['budget_exceeded', APIError, 402, 1],
  ['model_access_denied', OpenAI.PermissionDeniedError, 403, 1],
  ['quota_exceeded', RateLimitError, 429, 1],
  ['rate_limit_exceeded', RateLimitError, 429, 3],
  ['upstream_error', OpenAI.InternalServerError, 502, 3],
  ['dependency_unavailable', OpenAI.InternalServerError, 503, 3],
] as const)('%s before an answer', async (code, type, status, expected) => {
  reply = { kind: 'error', error: gatewayError(code, 'No.', { param: 'model' }) };
  const failure: unknown = await client.responses.create(ask).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(type);
  expect(failure).toMatchObject({ status, code, param: 'model', requestID: context.requestId });
  expect(attempts).toBe(expected);
});
