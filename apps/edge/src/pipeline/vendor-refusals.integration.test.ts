// A client of the upstream's format gets the vendor's own refusal; all others get the gateway's.

import type { Candidate } from '@tollgate/contracts/node';

import { answerJson, delta, errorAnswer, openSse, role } from '../test-support/fake-upstream';
import {
  allow,
  candidate,
  chat,
  errorOf,
  startHarness,
  type Harness,
} from '../test-support/harness';

const SECRET = 'sk-upstream-secret-0123456789';

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

interface Vendor {
  path: string;
  body: object;
  over: Candidate;
  error: object;
}
const contents = [{ parts: [{ text: 'Hi' }] }];
const openai = {
  error: { message: 'No.', type: 'invalid_request_error', param: 'n', code: 'odd' },
};
const VENDORS: Record<string, Vendor> = {
  chat: { path: '/v1/chat/completions', body: chat(), over: {}, error: openai },
  responses: {
    path: '/v1/responses',
    body: { model: 'm', input: 'Hi' },
    over: {},
    error: openai,
  },
  embeddings: {
    path: '/v1/embeddings',
    body: { model: 'm', input: 'Hi' },
    over: { modelType: 'embedding' },
    error: openai,
  },
  vllm: {
    path: '/v1/vllm/chat/completions',
    body: chat(),
    over: { upstreamFormat: 'vllm', providerType: 'PROVIDER_D' },
    error: { error: { message: 'No.', type: 'NotFoundError', param: null, code: 404 } },
  },
  anthropic: {
    path: '/v1/messages',
    body: chat({ max_tokens: 9 }),
    over: { upstreamFormat: 'anthropic', providerType: 'PROVIDER_B' },
    error: { type: 'error', error: { type: 'overloaded_error', message: 'No.' }, request_id: 'r' },
  },
  gemini: {
    path: '/v1beta/models/m:generateContent',
    body: { contents },
    over: { upstreamFormat: 'gemini', providerType: 'PROVIDER_C' },
    error: { error: { code: 429, message: 'No.', status: 'RESOURCE_EXHAUSTED' } },
  },
};

/** Answers with this status, text and headers. */
const says = (status: number, text: string, headers = {}): void => {
  h.upstream.script = (res) => {
    res.writeHead(status, { 'x-request-id': 'up-1', ...headers });
    res.end(text);
  };
};
const ask = ({ path, body, over }: Vendor) => {
  h.policy.decide = () => allow([candidate(over)]);
  return h.post(path, body);
};
const vendor = (name: string): Vendor => {
  const found = VENDORS[name];
  if (!found) throw new Error(`no vendor is called ${name}`);
  return found;
};

const CODES: Record<number, string> = { 429: 'upstream_rate_limited', 529: 'upstream_error' };
const cases = Object.keys(VENDORS).flatMap((name) =>
  [400, 404, 409, 413, 415, 422, 429, 529].map((status) => [name, status] as const),
);

test.each(cases)('%s: %d is passed on byte for byte', async (name, status) => {
  // The indentation differs from the gateway's own JSON.
  const text = JSON.stringify(vendor(name).error, null, 3);
  const waits = { 'retry-after': '20', 'retry-after-ms': '20000', 'x-should-retry': 'true' };
  says(status, text, waits);
  const response = await ask(vendor(name));
  expect(response.status).toBe(status);
  expect(await response.text()).toBe(text);
  const code = CODES[status] ?? 'upstream_rejected';
  const { requestId } = h.policy.authorized[0] ?? {};
  expect(Object.fromEntries(response.headers)).toMatchObject({
    ...waits,
    'content-type': 'application/json',
    'x-request-id': requestId,
    'x-tollgate-error-code': code,
    'x-tollgate-upstream-request-id': 'up-1',
  });
  expect(await h.settled()).toMatchObject({ httpStatus: status, errorCode: code });
});

const DATES = {
  'retry-after': 'Wed, 21 Oct 2026 08:28:00 GMT',
  date: 'Wed, 21 Oct 2026 07:28:00 GMT',
};
test.each([
  [{ 'retry-after': '21' }],
  [{ 'retry-after': '3600', 'retry-after-ms': '1000', 'x-should-retry': 'true' }],
  [{ 'retry-after': '1', 'retry-after-ms': '20001' }],
  [DATES],
])('a wait that SDKs would sleep through becomes "do not retry": %j', async (waits) => {
  says(429, JSON.stringify(openai), waits);
  const response = await ask(vendor('chat'));
  expect(response.status).toBe(429);
  const { headers } = response;
  const told = ['retry-after', 'retry-after-ms', 'x-should-retry'].map((name) => headers.get(name));
  expect(told).toEqual([null, null, 'false']);
});

test.each([302, 401, 402, 403, 408, 500, 503])('%d becomes a gateway error', async (status) => {
  says(status, JSON.stringify(openai));
  const response = await ask(vendor('chat'));
  expect(response.status).toBe(502);
  const { code } = await errorOf(response);
  expect(code).toMatch(/^(provider_auth_failed|upstream_error|upstream_timeout)$/);
  expect(response.headers.get('x-tollgate-error-code')).toBe(code);
});

test.each(['insufficient_quota', 'billing_hard_limit_reached'])(
  'an error about the gateway’s account becomes a gateway error: %s',
  async (code) => {
    says(429, JSON.stringify({ error: { message: 'Check your plan.', type: code, code } }));
    expect((await errorOf(await ask(vendor('chat')))).code).toBe('upstream_rate_limited');
  },
);

test('a refused key that the vendor calls an invalid argument becomes the gateway’s own error', async () => {
  const details = [
    { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
  ];
  const error = { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT', details };
  says(400, JSON.stringify({ error }));
  const response = await ask(vendor('gemini'));
  expect(response.status).toBe(502);
  expect(response.headers.get('x-tollgate-error-code')).toBe('provider_auth_failed');
});

test.each([
  ['a page', '<html>Bad request</html>'],
  ['plain text', 'no'],
  ['another shape', '{"detail":"no"}'],
  ['half of a document', '{"error":{"message":"no"'],
  ['too long a document', JSON.stringify({ error: { message: 'x'.repeat(70_000) } })],
])('%s becomes the gateway’s own error', async (_, text) => {
  says(400, text);
  const response = await ask(vendor('chat'));
  expect(response.status).toBe(400);
  const body = await response.text();
  expect(body.length).toBeLessThan(3_000);
  expect(JSON.parse(body)).toMatchObject({ error: { code: 'upstream_rejected' } });
});

test.each([
  ['/v1/llm/chat', chat(), {}],
  ['/v1/messages', chat({ max_tokens: 9 }), {}],
  ['/v1/chat/completions', chat(), { upstreamFormat: 'anthropic', providerType: 'PROVIDER_B' }],
])('%s: a foreign format becomes a gateway error', async (path, body, over: Candidate) => {
  h.upstream.script = (res) => errorAnswer(res, 404, { 'retry-after': '3600' });
  const response = await ask({ path, body, over, error: {} });
  expect(response.status).toBe(400);
  expect(response.headers.get('retry-after')).toBeNull();
  expect(response.headers.get('x-tollgate-error-code')).toBe('upstream_rejected');
});

test.each([
  ['as it is', JSON.stringify({ error: { message: `key ${SECRET}` } })],
  ['escaped', JSON.stringify({ error: { message: `key ${SECRET}` } }).replaceAll('-', '\\u002d')],
  ['in a duplicate field', `{"error":{"message":"${SECRET}"},"error":{"message":"a"}}`],
])('a secret is removed, %s', async (_, text) => {
  says(400, text, { 'retry-after': SECRET });
  const response = await ask(vendor('chat'));
  const told = JSON.stringify(await response.json());
  expect(response.status).toBe(400);
  expect(told).not.toContain(SECRET.slice(0, 10));
  expect(JSON.stringify([...response.headers])).not.toContain(SECRET);
  expect(response.headers.get('x-tollgate-error-code')).toBe('upstream_rejected');
});

test('headers that SDKs read are passed on, without those of the gateway’s account', async () => {
  h.upstream.script = (res) => {
    res.setHeader('openai-processing-ms', '12');
    res.setHeader('openai-version', '2020-10-01');
    res.setHeader('openai-organization', 'ours');
    res.setHeader('x-ratelimit-remaining-requests', '1');
    answerJson(res, { id: 'c', choices: [{ message: { content: 'Hi' } }], usage: null });
  };
  const { headers } = await ask(vendor('chat'));
  expect(headers.get('openai-processing-ms')).toBe('12');
  expect(headers.get('openai-version')).toBe('2020-10-01');
  expect(headers.get('x-tollgate-upstream-request-id')).toBe('upstream-req-1');
  expect(headers.get('openai-organization')).toBeNull();
  expect(headers.get('x-ratelimit-remaining-requests')).toBeNull();
});

const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
const limited = { error: { message: 'Slow down.', type: 'rate_limit_error', code: 'odd' } };
const broken = { error: { message: 'Traceback', type: 'server_error', code: null } };
const begun = {
  anthropic:
    'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"c","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}\n\n',
  chat: role() + delta('half an'),
};

test.each<[string, string, object, string, boolean]>([
  ['anthropic', begun.anthropic, overloaded, 'event: error\n', true],
  ['chat', begun.chat, limited, '', true],
  ['chat', begun.chat, broken, '', false],
])('%s: an error within a stream is the vendor’s', async (name, start, error, event, own) => {
  h.upstream.script = (res) => {
    openSse(res);
    res.end(`${start}${event}data: ${JSON.stringify(error)}\n\n`);
  };
  const { body, ...rest } = vendor(name);
  const text = await (await ask({ ...rest, body: { ...body, stream: true } })).text();
  const last = `${event}data: ${JSON.stringify(error)}\n\n`;
  expect(text.endsWith(last)).toBe(own);
  expect(text).toContain('"error"');
  expect(text).not.toContain('Traceback');
});
