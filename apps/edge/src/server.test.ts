import { createServer as createHttpServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { McpGateway } from './mcp';
import type { OpsDeps } from './ops/routes';
import type { Gateway } from './pipeline';
import { createServer } from './server';

/** Sends one request to a server whose gateway has no working parts. */
async function ask(listener: RequestListener, path: string) {
  const server = createHttpServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: '{}' });
    return { status: answer.status, body: (await answer.json()) as object };
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

test.each([
  '/v1/chat/completions',
  '/v1/chat/completions?x=1',
  '/v1/chat/completions/',
  '/v1/mcp/files',
  '/v1/mcp/files/',
])('POST %s: a bug that comes out of a request ends that request alone', async (path) => {
  const logged: unknown[] = [];
  const gateway = {
    nowMs: () => {
      throw new Error('no clock');
    },
    log: { error: (_text: string, fields: unknown) => logged.push(fields) },
  } as unknown as Gateway;
  const ops = { metrics: undefined } as OpsDeps;
  const mcp = gateway as unknown as McpGateway;
  const answer = await ask(createServer({ gateway, mcp, ops, corsOrigins: [] }), path);
  expect(answer).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } });
  expect(logged).toMatchObject([{ error: { message: 'no clock' } }]);
});
