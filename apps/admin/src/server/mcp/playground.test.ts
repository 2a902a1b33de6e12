import type { Logger } from '@tollgate/kit';

import type { McpAnswer } from '../../api/mcp-playground';
import { ANSWER_LIMIT_BYTES } from './exchange';
import { createMcpPlayground } from './playground';

const ORGANISATION = '01a200b7-30ab-7031-b144-0a2f9f4d5a00';

const log: Logger = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
  child: () => log,
  enabled: () => false,
  flush: () => Promise.resolve(),
};

interface Rpc {
  readonly method: string;
  readonly id?: number | string;
  readonly params?: Readonly<Record<string, unknown>>;
}
interface Received extends Rpc {
  readonly url: string;
  readonly authorization: string | null;
}
type Reply = (rpc: Rpc, call: number) => Response;

const COMPLETE = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };

const result = (rpc: Rpc, value: object, headers: Record<string, string> = {}): Response =>
  Response.json({ jsonrpc: '2.0', id: rpc.id, result: value }, { headers });

const refused = (rpc: Rpc, status: number, code: string, rpcCode = -32_004): Response =>
  Response.json(
    {
      jsonrpc: '2.0',
      id: rpc.id,
      error: { code: rpcCode, message: `refused: ${code}`, data: { code, requestId: 'r-9' } },
    },
    { status, headers: { 'x-request-id': 'r-9' } },
  );

/** A server of the revision without sessions, unless `reply` answers first. */
const modern =
  (reply: (rpc: Rpc) => Response | undefined): Reply =>
  (rpc) => {
    const own = reply(rpc);
    if (own !== undefined) return own;
    if (rpc.method === 'server/discover') {
      return result(rpc, {
        ...COMPLETE,
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'fake', version: '1' } },
      });
    }
    throw new Error(`nothing answers ${rpc.method}`);
  };

/** A server of the revisions with sessions. */
const legacy =
  (reply: (rpc: Rpc) => Response | undefined): Reply =>
  (rpc) => {
    if (rpc.method === 'GET' || rpc.method === 'DELETE') return new Response(null, { status: 405 });
    if (rpc.id === undefined) return new Response(null, { status: 202 });
    const own = reply(rpc);
    if (own !== undefined) return own;
    if (rpc.method === 'initialize') {
      const server = { name: 'fake', version: '1' };
      const offer = {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: server,
      };
      return result(rpc, offer, { 'mcp-session-id': 's-1' });
    }
    return Response.json(
      { jsonrpc: '2.0', id: rpc.id, error: { code: -32_601, message: 'unknown method' } },
      { status: 400 },
    );
  };

function playgroundOver(reply: Reply) {
  const received: Received[] = [];
  let keysMade = 0;
  let nowMs = 0;
  const playground = createMcpPlayground({
    edgeUrl: 'http://edge.example/',
    refresh: () => Promise.resolve(undefined),
    keys: {
      get: () => {
        keysMade = Math.max(keysMade, 1);
        return Promise.resolve({
          key: `tg_${String(keysMade)}`,
          modelIds: [],
          madeAtMs: 0,
          expiresAtMs: 900_000,
        });
      },
      drop: () => {
        keysMade += 1;
      },
    },
    log,
    clock: { now: () => nowMs },
    fetch: (url, init) => {
      const { authorization } = Object.fromEntries(new Headers(init?.headers));
      const rpc: Rpc =
        init?.method === 'POST' && typeof init.body === 'string'
          ? (JSON.parse(init.body) as Rpc)
          : { method: init?.method ?? 'GET' };
      received.push({ ...rpc, url: new Request(url).url, authorization: authorization ?? null });
      return Promise.resolve().then(() => reply(rpc, received.length));
    },
  });
  const ask = async (body: unknown): Promise<{ status: number; answer: McpAnswer }> => {
    const response = await playground(
      new Request('http://console.example/api/organisations/x/playground/mcp', {
        method: 'POST',
        body: JSON.stringify(body),
        headers: {
          host: 'console.example',
          origin: 'http://console.example',
          cookie: 'tollgate_console_access=a; tollgate_console_refresh=r0',
        },
      }),
      ORGANISATION,
    );
    return { status: response.status, answer: (await response.json()) as McpAnswer };
  };
  return {
    ask,
    received,
    wait: (ms: number) => {
      nowMs += ms;
    },
  };
}

const TOOL = { name: 'add', title: 'Add', description: 'Adds.', inputSchema: { type: 'object' } };
const LIST = { action: 'tools', server: 'tickets' };
const CALL = { action: 'call', server: 'tickets', tool: 'add', arguments: { a: 1 } };

test('tools are listed over all pages, through the gateway, with a key that the answer does not show', async () => {
  const { ask, received } = playgroundOver(
    modern((rpc) => {
      if (rpc.method !== 'tools/list') return undefined;
      return rpc.params?.['cursor'] === undefined
        ? result(rpc, { ...COMPLETE, tools: [TOOL], nextCursor: 'more' })
        : result(rpc, { ...COMPLETE, tools: [{ ...TOOL, name: 'subtract', title: undefined }] });
    }),
  );
  const { status, answer } = await ask(LIST);
  expect([status, answer]).toMatchObject([
    200,
    {
      kind: 'tools',
      protocolVersion: '2026-07-28',
      tools: [TOOL, { ...TOOL, name: 'subtract', title: null }],
      truncated: false,
    },
  ]);
  for (const request of received) {
    expect(request).toMatchObject({
      url: 'http://edge.example/v1/mcp/tickets',
      authorization: 'Bearer tg_1',
    });
  }
  expect(JSON.stringify(answer)).not.toContain('tg_1');
});

test('a list that never ends is cut, and the answer says so', async () => {
  let pages = 0;
  const { ask } = playgroundOver(
    modern((rpc) => {
      if (rpc.method !== 'tools/list') return undefined;
      pages += 1;
      const tools = [{ ...TOOL, name: `add_${String(pages)}` }];
      return result(rpc, { ...COMPLETE, tools, nextCursor: String(pages) });
    }),
  );
  expect((await ask(LIST)).answer).toMatchObject({ kind: 'tools', truncated: true });
  expect(pages).toBe(20);
});

test('a result comes with its blocks, cost and request id, also when the tool reports an error', async () => {
  const content = [{ type: 'text', text: '3' }];
  const { ask, received } = playgroundOver(
    modern((rpc) =>
      rpc.method === 'tools/call'
        ? result(
            rpc,
            { resultType: 'complete', content, structuredContent: { sum: 3 }, isError: true },
            { 'x-request-id': 'r-1', 'x-tollgate-cost-usd': '0.010000000' },
          )
        : undefined,
    ),
  );
  expect((await ask(CALL)).answer).toMatchObject({
    kind: 'call',
    content,
    structuredContent: { sum: 3 },
    isError: true,
    requestId: 'r-1',
    costUsd: '0.010000000',
  });
  expect(received.at(-1)?.params).toMatchObject({ name: 'add', arguments: { a: 1 } });
});

test('a server with sessions is served too, and its session is ended', async () => {
  const { ask, received } = playgroundOver(
    legacy((rpc) =>
      rpc.method === 'tools/call'
        ? result(rpc, { content: [{ type: 'text', text: '3' }] })
        : undefined,
    ),
  );
  expect((await ask(CALL)).answer).toMatchObject({ kind: 'call', isError: false });
  expect(received.map(({ method }) => method)).toContain('DELETE');
});

test("the gateway's refusals keep their code, status and request id", async () => {
  const { ask } = playgroundOver(
    modern((rpc) =>
      rpc.method === 'tools/call' ? refused(rpc, 402, 'budget_exceeded') : undefined,
    ),
  );
  const { status, answer } = await ask(CALL);
  expect([status, answer]).toEqual([
    200,
    {
      kind: 'failure',
      code: 'budget_exceeded',
      message: 'refused: budget_exceeded',
      rpcCode: -32_004,
      status: 402,
      requestId: 'r-9',
    },
  ]);
});

test('a refused connection is the refusal, not a failed negotiation', async () => {
  const { ask } = playgroundOver((rpc) => refused(rpc, 403, 'mcp_access_denied'));
  expect((await ask(LIST)).answer).toMatchObject({
    kind: 'failure',
    code: 'mcp_access_denied',
    status: 403,
  });
});

test('a kept key that is refused is replaced once; a new one is refused for good reason', async () => {
  const { ask, received, wait } = playgroundOver((rpc) => refused(rpc, 403, 'mcp_access_denied'));
  await ask(LIST);
  expect(new Set(received.map(({ authorization }) => authorization))).toEqual(
    new Set(['Bearer tg_1']),
  );
  wait(60_000);
  await ask(LIST);
  expect(received.at(-1)?.authorization).toBe('Bearer tg_2');
});

test('an error of the server is shown with its JSON-RPC code', async () => {
  const { ask } = playgroundOver(
    modern((rpc) =>
      rpc.method === 'tools/call'
        ? Response.json({
            jsonrpc: '2.0',
            id: rpc.id,
            error: { code: -32_602, message: 'Unknown tool' },
          })
        : undefined,
    ),
  );
  expect((await ask(CALL)).answer).toMatchObject({
    kind: 'failure',
    code: 'rpc_error',
    rpcCode: -32_602,
    message: expect.stringContaining('Unknown tool') as unknown,
  });
});

test('an answer that is too large is not kept', async () => {
  const { ask } = playgroundOver(
    modern((rpc) => {
      if (rpc.method !== 'tools/call') return undefined;
      const text = 'x'.repeat(ANSWER_LIMIT_BYTES);
      return result(rpc, { resultType: 'complete', content: [{ type: 'text', text }] });
    }),
  );
  expect((await ask(CALL)).answer).toMatchObject({ kind: 'failure', code: 'answer_too_large' });
});

test('a tool that asks for input is not answered', async () => {
  const { ask } = playgroundOver(
    modern((rpc) =>
      rpc.method === 'tools/call'
        ? result(rpc, { resultType: 'input_required', inputRequests: {}, requestState: 'x' })
        : undefined,
    ),
  );
  expect((await ask(CALL)).answer).toMatchObject({ kind: 'failure', code: 'input_required' });
});

test('a tool that needs a client with more capabilities asks for input too', async () => {
  const { ask } = playgroundOver(
    modern((rpc) =>
      rpc.method === 'tools/call'
        ? Response.json(
            { jsonrpc: '2.0', id: rpc.id, error: { code: -32_021, message: 'no elicitation' } },
            { status: 400 },
          )
        : undefined,
    ),
  );
  expect((await ask(CALL)).answer).toMatchObject({ code: 'input_required', rpcCode: -32_021 });
});

test('a gateway that is away is 503', async () => {
  const { ask } = playgroundOver(() => {
    throw new TypeError('fetch failed');
  });
  const { status, answer } = await ask(LIST);
  expect([status, answer]).toMatchObject([503, { error: { code: 'dependency_unavailable' } }]);
});

test.each([
  [{ ...LIST, server: '../models' }],
  [{ ...LIST, url: 'http://evil' }],
  [{ ...CALL, arguments: [] }],
  [{ ...CALL, tool: '' }],
])('%j reaches nobody', async (body) => {
  const { ask, received } = playgroundOver(() => new Response(null, { status: 500 }));
  expect([(await ask(body)).status, received]).toEqual([422, []]);
});
