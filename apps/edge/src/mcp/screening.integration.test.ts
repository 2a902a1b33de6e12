// Messages of MCP clients and servers are screened, in documents and in events, in both eras.

import type { ServerResponse } from 'node:http';
import type { ScreeningService } from '@tollgate/contracts/node';

import { json as reply, serviceAt, startFakeService } from '../screening/test-support/fake-service';
import { CANARY, ruleOf } from '../screening/test-support/rules';
import { until } from '../test-support/harness';
import {
  CALL,
  event,
  HELD_NANO_USD,
  openEvents,
  result,
  rpcErrorOf,
  startMcpHarness,
  type McpHarness,
} from './test-support/mcp-harness';

let h: McpHarness;
beforeAll(async () => {
  h = await startMcpHarness();
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

type Rule = Record<string, unknown>;
let version = 0;

/** From now on these rules apply to the messages of the server. */
function screens(rules: readonly Rule[], services: ScreeningService[] = []): void {
  version += 1;
  h.catalog.screeningPolicies.set(`policy-mcp:${version}`, {
    policyId: 'policy-mcp',
    version,
    organisationId: 'org-1',
    identifier: 'house',
    rulesJson: JSON.stringify(rules.map(ruleOf)),
    services,
    serviceKeyIds: [],
  });
  h.serve({}, { screening: [{ policyId: 'policy-mcp', version }] });
}

const REQUEST = { where: ['MCP_REQUEST'] };
const RESULT = { where: ['MCP_RESULT'] };
const call = (args: object, headers?: Record<string, string>) =>
  h.rpc({ ...CALL, params: { name: 'sum', arguments: args } }, headers);
const sent = () => JSON.stringify(h.upstream.received.map(({ body }) => body));

describe('requests', () => {
  test('a blocked call is not sent, costs nothing, and has a record', async () => {
    screens([{ ...REQUEST, action: 'BLOCK' }]);
    const response = await call({ text: `a ${CANARY}` });
    expect(response.status).toBe(403);
    expect(response.headers.get('x-tollgate-screening')).toMatch(
      /^house\/one;v=\d+;in=mcp_request;action=block;hits=1$/,
    );
    const { error, id } = await rpcErrorOf(response);
    expect({ id, code: error.data.code }).toEqual({ id: CALL.id, code: 'content_blocked' });
    expect(error.message).not.toContain(CANARY);
    expect(h.upstream.received).toHaveLength(0);
    expect(await h.settled()).toMatchObject({
      cancelled: false,
      costNanoUsd: '0',
      errorCode: 'content_blocked',
      outcome: 'FAILED',
      screening: expect.stringContaining('in=mcp_request;action=block'),
    });
  });

  test('a masked text does not reach the server, and comes back in the result', async () => {
    screens([{ ...REQUEST, kind: 'PERSONAL_DATA', action: 'MASK' }]);
    h.upstream.script = (res, received) => {
      const { params } = received.body as { params: { arguments: { to: string } } };
      const text = `sent to ${params.arguments.to}`;
      result(res, received, { content: [{ type: 'text', text }], structuredContent: { n: 1 } });
    };
    const response = await call({ to: 'ann@example.com' });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('sent to ann@example.com');
    expect(sent()).toContain('<EMAIL_1>');
    expect(sent()).not.toContain('ann@');
    expect(await h.settled()).toMatchObject({
      costNanoUsd: HELD_NANO_USD,
      outcome: 'COMPLETED',
      screening: expect.stringContaining('action=mask;hits=1'),
    });
  });

  test('names that a vendor gives to ids do not hide arguments', async () => {
    screens([{ ...REQUEST, action: 'BLOCK' }]);
    for (const name of ['name', 'id', 'data', 'model', 'type', 'status']) {
      expect([name, (await call({ deep: { [name]: CANARY } })).status]).toEqual([name, 403]);
    }
  });

  test.each([
    ['a prompt', { method: 'prompts/get', params: { name: 'p', arguments: { a: CANARY } } }],
    ['a resource', { method: 'resources/read', params: { uri: `file:///${CANARY}` } }],
    [
      'a completion',
      {
        method: 'completion/complete',
        params: { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: CANARY } },
      },
    ],
  ])('%s is screened', async (_, message) => {
    screens([{ ...REQUEST, action: 'BLOCK' }]);
    expect((await h.rpc({ id: 1, ...message })).status).toBe(403);
  });

  test.each([
    ['a filled form', { result: { action: 'accept', content: { name: CANARY } } }],
    [
      'a sample',
      { result: { role: 'assistant', model: 'm', content: { type: 'text', text: CANARY } } },
    ],
    ['an error', { error: { code: -1, message: 'no', data: { reason: CANARY } } }],
  ])('%s that answers the server is screened', async (_, message) => {
    screens([{ ...REQUEST, action: 'BLOCK' }]);
    expect((await h.rpc({ id: 'server-1', ...message })).status).toBe(403);
    expect(h.upstream.received).toHaveLength(0);
  });

  const MODERN = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  const modern = (method: string, params: object, headers: Record<string, string>) =>
    h.rpc(
      { id: 1, method, params: { ...params, _meta: MODERN } },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...headers },
    );

  test('headers that repeat a masked argument are masked too, and others are screened', async () => {
    screens([{ ...REQUEST, kind: 'PERSONAL_DATA', action: 'MASK' }]);
    const params = { name: 'sum', arguments: { to: 'ann@example.com' } };
    const response = await modern('tools/call', params, {
      'mcp-name': 'sum',
      'mcp-param-to': 'ann@example.com',
      'mcp-param-other': 'bob@example.com',
    });
    expect(response.status).toBe(200);
    expect(h.upstream.received[0]?.headers).toMatchObject({
      'mcp-name': 'sum',
      'mcp-param-to': '<EMAIL_1>',
      'mcp-param-other': '<EMAIL_2>',
    });
  });

  test('a name that would be masked is blocked, because it would name something else', async () => {
    screens([{ ...REQUEST, kind: 'INVISIBLE_TEXT', action: 'MASK' }]);
    const uri = 'file:///private\u200b/x';
    const response = await h.rpc({ id: 1, method: 'resources/read', params: { uri } });
    expect(response.status).toBe(403);
    expect(h.upstream.received).toHaveLength(0);
  });

  test('answers to questions of the modern era are read, whatever their fields are named', async () => {
    screens([{ ...REQUEST, action: 'BLOCK' }]);
    for (const name of ['name', 'data', 'id']) {
      const inputResponses = { one: { action: 'accept', content: { [name]: CANARY } } };
      const params = { name: 'sum', arguments: {}, inputResponses };
      const response = await modern('tools/call', params, { 'mcp-name': 'sum' });
      expect([name, response.status]).toEqual([name, 403]);
    }
  });

  test('of an argument that is sent twice, the one that was screened is sent', async () => {
    screens([{ ...REQUEST, action: 'BLOCK' }]);
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sum","arguments":{"a":"${CANARY}","a":"fine"}}}`;
    const response = await h.rpc({}, {}, { body });
    expect(response.status).toBe(200);
    expect(h.upstream.received[0]?.raw.toString()).not.toContain(CANARY);
  });

  test('an observed call is sent as it came', async () => {
    screens([{ ...REQUEST, action: 'OBSERVE' }]);
    const response = await call({ text: CANARY });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-tollgate-screening')).toContain('action=observe;hits=1');
    expect(h.upstream.received[0]?.raw.toString()).toBe(
      JSON.stringify({
        jsonrpc: '2.0',
        ...CALL,
        params: { name: 'sum', arguments: { text: CANARY } },
      }),
    );
  });
});

/** Sends one message of the server as a document or in a stream. */
type Send = (res: ServerResponse, message: object) => void;
const FORMS: [string, Send][] = [
  [
    'a document',
    (res, message) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
    },
  ],
  [
    'an event',
    (res, message) => {
      openEvents(res);
      res.write('id: 1\ndata:\n\n');
      const text = event(message);
      // In two pieces, within a character.
      const bytes = Buffer.from(text);
      const middle = bytes.indexOf(0xc3) + 1;
      res.write(bytes.subarray(0, middle));
      setImmediate(() => res.end(bytes.subarray(middle)));
    },
  ],
];

const RESULTS: [string, object][] = [
  ['a text', { result: { content: [{ type: 'text', text: `a ${CANARY}` }] } }],
  ['structured content', { result: { content: [], structuredContent: { name: CANARY } } }],
  [
    'a resource',
    { result: { content: [{ type: 'resource', resource: { uri: 'x:y', text: CANARY } }] } },
  ],
  [
    'a prompt',
    { result: { messages: [{ role: 'user', content: { type: 'text', text: CANARY } }] } },
  ],
  ['a definition', { result: { tools: [{ name: 't', description: CANARY, inputSchema: {} }] } }],
  ['instructions', { result: { instructions: CANARY, capabilities: {} } }],
  ['an error', { error: { code: -32_000, message: CANARY } }],
];

describe.each(FORMS)('results in %s', (form, send) => {
  const answers = (message: object): void => {
    h.upstream.script = (res, { body }) => send(res, { id: body['id'], ...message });
  };

  test.each(RESULTS)('%s is blocked, and a result is charged', async (what, message) => {
    screens([{ ...RESULT, action: 'BLOCK' }]);
    answers(message);
    const response = await call({});
    const text = await response.text();
    expect(text).toContain('content_blocked');
    expect(text).not.toContain('canary');
    expect(response.status).toBe(form === 'a document' ? 403 : 200);
    expect(await h.settled()).toMatchObject({
      costNanoUsd: what === 'an error' ? '0' : HELD_NANO_USD,
      errorCode: 'content_blocked',
      screening: expect.stringContaining('in=mcp_result;action=block'),
    });
  });

  test.each(RESULTS)('%s is masked', async (_, message) => {
    screens([{ ...RESULT, action: 'MASK' }]);
    answers(message);
    const text = await (await call({})).text();
    expect(text).toContain('<KEYWORD_1>');
    expect(text).not.toContain('canary');
    expect(text).toContain(`"id":${CALL.id}`);
  });

  test('an observed result is sent as it came', async () => {
    screens([{ ...RESULT, action: 'OBSERVE' }]);
    const [, message] = RESULTS[0] ?? [];
    answers(message ?? {});
    expect(await (await call({})).text()).toContain(CANARY);
    expect(await h.settled()).toMatchObject({
      screening: expect.stringContaining('in=mcp_result;action=observe;hits=1'),
    });
  });

  test('digits of long numbers stay in a masked result', async () => {
    screens([{ ...RESULT, action: 'MASK' }]);
    h.upstream.script = (res) => {
      const text = `{"jsonrpc":"2.0","id":${CALL.id},"result":{"content":[{"type":"text","text":"${CANARY}"}],"structuredContent":{"n":12345678901234567890}}}`;
      if (form === 'a document') {
        res.writeHead(200, { 'content-type': 'application/json' });
        res.end(text);
      } else {
        openEvents(res);
        res.end(`data: ${text}\n\n`);
      }
    };
    expect(await (await call({})).text()).toContain('12345678901234567890');
  });
});

test('events before a blocked one are passed on, and the stream ends with an error', async () => {
  screens([{ ...RESULT, action: 'BLOCK' }]);
  h.upstream.script = (res, { body }) => {
    openEvents(res);
    res.write(event({ method: 'notifications/progress', params: { progress: 1 } }));
    res.write(event({ method: 'notifications/message', params: { level: 'info', data: CANARY } }));
    res.write(event({ id: body['id'], result: { content: [] } }));
  };
  const text = await (await call({})).text();
  expect(text).toContain('notifications/progress');
  expect(text).toContain('content_blocked');
  expect(text).not.toContain('canary');
  expect(text).not.toContain('"result"');
});

/** A stream by which the server may tell whatever it has to tell. */
async function openStream(): Promise<{ open: ServerResponse; response: Response }> {
  const opened = new Promise<ServerResponse>((resolve) => {
    h.upstream.script = (res) => {
      openEvents(res);
      resolve(res);
    };
  });
  const response = await h.bare('GET');
  return { open: await opened, response };
}

test('a stream that nobody waits for is screened too', async () => {
  screens([{ ...RESULT, action: 'BLOCK' }]);
  const { open, response } = await openStream();
  open.write(event({ method: 'notifications/progress', params: { progress: 1 } }));
  open.write(event({ id: 's1', method: 'elicitation/create', params: { message: CANARY } }));
  const text = await response.text();
  expect(text).toContain('notifications/progress');
  expect(text).not.toContain('canary');
});

test('a page of an error is screened as one text', async () => {
  screens([{ ...RESULT, action: 'MASK' }]);
  h.upstream.script = (res) => {
    res.writeHead(404, { 'content-type': 'text/plain' });
    res.end(`no such page ${CANARY}`);
  };
  const response = await call({});
  expect(response.status).toBe(404);
  expect(await response.text()).toBe('no such page <KEYWORD_1>');
});

test('a masked result is not for shared caches', async () => {
  screens([{ ...RESULT, action: 'MASK' }]);
  h.upstream.script = (res, received) =>
    result(res, received, { content: [{ type: 'text', text: CANARY }], cacheScope: 'public' });
  expect(await (await call({})).text()).toContain('"cacheScope":"private"');
});

test('a result whose check is pending arrives although the server breaks off', async () => {
  const service = await startFakeService();
  let check: ServerResponse | undefined;
  service.answer = (_, res) => {
    check = res;
  };
  const external = { kind: 'EXTERNAL', service: 'checker', timeoutMs: 10_000 };
  screens([{ ...external, ...RESULT, action: 'BLOCK' }], [serviceAt(service.url)]);
  let upstream: ServerResponse | undefined;
  h.upstream.script = (res, { body }) => {
    openEvents(res);
    res.write(event({ id: body['id'], result: { content: [{ type: 'text', text: 'arrived' }] } }));
    upstream = res;
  };
  const response = await call({});
  await until(() => check !== undefined, 'the check');
  upstream?.destroy();
  if (check) reply(check, { verdict: 'PASS' });
  expect(await response.text()).toContain('arrived');
  expect(await h.settled()).toMatchObject({ outcome: 'COMPLETED' });
  await service.stop();
});

test('a stream is ended when other policies apply', async () => {
  screens([{ ...RESULT, action: 'BLOCK' }]);
  const { response } = await openStream();
  screens([{ ...RESULT, action: 'MASK' }]);
  expect(await response.text()).not.toContain('error');
});

test('what cannot be read is refused by rules that block, and passed by others', async () => {
  screens([{ ...RESULT, action: 'BLOCK' }]);
  const broken = (res: ServerResponse): void => {
    openEvents(res);
    res.end('data: {"jsonrpc":"2.0",\n\n');
  };
  h.upstream.script = broken;
  expect(await (await call({})).text()).toContain('content_blocked');
  screens([{ ...RESULT, action: 'BLOCK', onError: 'PASS' }]);
  h.upstream.script = broken;
  expect(await (await call({})).text()).toContain('data: {"jsonrpc":"2.0",');
});

test('without rules for MCP an answer is passed on as it came', async () => {
  screens([{ where: ['INPUT', 'OUTPUT'], action: 'BLOCK' }]);
  const bytes = `{"jsonrpc": "2.0",  "id": ${CALL.id}, "result": {"content": [], "n": 1.0} }`;
  h.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(bytes);
  };
  const response = await call({ text: CANARY });
  expect(await response.text()).toBe(bytes);
});

test('without its rules nothing is sent', async () => {
  h.serve({}, { screening: [{ policyId: 'policy-gone', version: 1 }] });
  const response = await call({});
  expect(response.status).toBe(503);
  expect(h.upstream.received).toHaveLength(0);
});

describe('services', () => {
  test('are asked about calls and results', async () => {
    const service = await startFakeService();
    const external = { kind: 'EXTERNAL', service: 'checker', timeoutMs: 10_000 };
    screens(
      [{ ...external, where: ['MCP_REQUEST', 'MCP_RESULT'], action: 'BLOCK' }],
      [serviceAt(service.url)],
    );
    h.upstream.script = (res, received) =>
      result(res, received, { content: [{ type: 'text', text: 'from the server' }] });
    expect((await call({ text: 'from the client' })).status).toBe(200);
    expect(service.asked.map(({ body }) => body['texts'])).toMatchObject([
      [{ place: 'MCP_REQUEST', text: 'from the client' }],
      [{ place: 'MCP_RESULT', text: 'from the server' }],
    ]);
    service.answer = ({ body }, res) =>
      reply(res, { verdict: JSON.stringify(body).includes('server') ? 'BLOCK' : 'PASS' });
    const response = await call({ text: 'from the client' });
    expect(response.status).toBe(403);
    expect(await response.text()).not.toContain('from the server');
    await service.stop();
  });
});
