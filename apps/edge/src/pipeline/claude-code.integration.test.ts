import { request } from 'node:http';

import { allow, candidate, deny, KEY, startHarness, type Harness } from '../test-support/harness';

// The gateway protocol of Claude Code, point by point (docs/coding-agents.md), for an upstream that speaks
// the messages format.

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
beforeEach(async () => {
  await h.reset();
  h.policy.decide = () => allow([anthropic()]);
  h.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify(MESSAGE));
  };
});
afterAll(() => h.stop());

function anthropic() {
  return candidate({
    providerType: 'PROVIDER_B',
    providerLabel: 'provider_b',
    upstreamFormat: 'anthropic',
    upstreamModel: 'claude-sonnet-4-6',
    maxOutputTokens: ASKED.max_tokens,
  });
}

const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-6',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 2 },
};

/** As the CLI writes it: the attribution block first, and blocks with marks for the cache. */
const SYSTEM = [
  { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.332; cch=ab12;' },
  { type: 'text', text: 'You are a coding agent.', cache_control: { type: 'ephemeral' } },
  { type: 'text', text: 'Zürich \u2028 “quoted”', cache_control: { type: 'ephemeral', ttl: '1h' } },
];

const ASKED = {
  model: 'house-model',
  max_tokens: 64,
  system: SYSTEM,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  thinking: { type: 'adaptive' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  output_config: { effort: 'high' },
  tools: [{ name: 'a', input_schema: { type: 'object' }, strict: true, defer_loading: true }],
  a_field_of_tomorrow: { deep: [1, 2] },
};

const HEADERS = {
  'anthropic-version': '2023-06-01',
  'anthropic-beta': 'claude-code-20250219,context-management-2025-06-27,a-beta-of-tomorrow',
  'anthropic-a-header-of-tomorrow': 'yes',
  'x-claude-code-session-id': 'session-1',
  'x-claude-code-agent-id': 'agent-1',
};

const ask = (over: object = {}, headers: Record<string, string> = {}) =>
  h.post('/v1/messages?beta=true', { ...ASKED, ...over }, { ...HEADERS, ...headers });

const WITHHELD = {
  'anthropic-workspace-id': 'wrkspc_1',
  'anthropic-user-profile-id': 'uprof_1',
};

test('every `anthropic-*` header goes on as it is, but those that choose who pays', async () => {
  expect((await ask({}, WITHHELD)).status).toBe(200);
  const headers = h.upstream.received[0]?.headers ?? {};
  for (const [name, value] of Object.entries(HEADERS)) {
    expect([name, headers[name]]).toEqual([
      name,
      name.startsWith('anthropic-') ? value : undefined,
    ]);
  }
  for (const name of Object.keys(WITHHELD)) expect(headers).not.toHaveProperty(name);
  expect(JSON.stringify(headers)).not.toContain(KEY);
});

test('the body goes on with every field, known or not; only the model is the provider’s', async () => {
  await ask();
  expect(h.upstream.received[0]?.body).toEqual({ ...ASKED, model: 'claude-sonnet-4-6' });
});

test('policy is told of a compaction of the context, and of nothing else', async () => {
  await ask();
  await ask({ context_management: { edits: [{ type: 'compact_20260112' }] } });
  const param = 'context_management.edits[0]';
  expect(h.policy.authorized.map(({ serverTools }) => serverTools)).toMatchObject([
    [],
    [{ unit: '', param, maxCalls: 1, readsInput: true, upstreams: ['anthropic'] }],
  ]);
});

test('the system array goes on byte by byte, in its order', async () => {
  await ask();
  const raw = h.upstream.received[0]?.raw.toString('utf8');
  expect(raw).toContain(`"system":${JSON.stringify(SYSTEM)}`);
});

test.each([400, 404, 409, 413, 415, 422, 429, 529])(
  'a refusal with the status %i keeps its status and its body, byte by byte',
  async (status) => {
    const body =
      '{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0.thinking.signature: Extra inputs are not permitted"},  "request_id":"req_1"}';
    h.upstream.script = (res) => {
      res.writeHead(status, {
        'content-type': 'application/json',
        'retry-after': '7',
        'x-should-retry': 'false',
      });
      res.end(body);
    };
    const answer = await ask();
    expect(answer.status).toBe(status);
    expect(await answer.text()).toBe(body);
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(answer.headers.get('retry-after')).toBe('7');
  },
);

test('a wait of the gateway is told in whole seconds', async () => {
  h.policy.decide = () => deny('rate_limit_exceeded', { retryAfterMs: 1_400 });
  const answer = await ask();
  expect(answer.status).toBe(429);
  expect(answer.headers.get('retry-after')).toBe('2');
});

test('an event reaches the client before the next one is there', async () => {
  let goOn: () => void = () => undefined;
  const first =
    'event: message_start\ndata: ' +
    JSON.stringify({
      type: 'message_start',
      message: { ...MESSAGE, content: [], stop_reason: null },
    }) +
    '\n\nevent: ping\ndata: {"type":"ping"}\n\n';
  h.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(first);
    goOn = () =>
      res.end(
        'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":1}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
      );
  };
  const answer = await ask({ stream: true });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('event: ping')) text += (await reader?.read())?.value ?? '';
  expect(text).not.toContain('message_stop');
  goOn();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
    text += part.value;
  expect(text).toContain('event: message_stop');
});

test.each([
  ['authorization', `Bearer ${KEY}`],
  ['x-api-key', KEY],
])('the list of models is read with %s, without a redirect', async (name, value) => {
  h.policy.validate = () => ({
    valid: true,
    models: [
      { name: 'claude-sonnet-4-6', displayName: 'Claude Sonnet 4.6', families: 'anthropic' },
    ],
  });
  const answer = await fetch(`${h.edge.url}/v1/models?limit=1000`, {
    redirect: 'manual',
    headers: { [name]: value, 'anthropic-version': '2023-06-01' },
  });
  expect(answer.status).toBe(200);
  const { data } = (await answer.json()) as { data: object[] };
  expect(data).toMatchObject([{ id: 'claude-sonnet-4-6', display_name: 'Claude Sonnet 4.6' }]);
});

test('the probe of the connection is answered at once', async () => {
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const req = request(`${h.edge.url}/`, { method: 'HEAD' }, (res) => resolve(res.statusCode));
    req.on('error', reject);
    req.end();
  });
  expect(status).toBe(404);
});
