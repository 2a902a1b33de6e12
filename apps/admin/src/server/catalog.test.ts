import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';

import { createExchange, createSendToCatalog, tokensIn, type CatalogAnswer } from './catalog';

function answer(status: number, body: object, setCookies: string[] = []): CatalogAnswer {
  return { status, headers: new Map(), setCookies, body: Buffer.from(JSON.stringify(body)) };
}

const session = { accessToken: 'a.b', tokenType: 'Bearer', expiresIn: 900 };
const cookie = 'tollgate_refresh=r1; Path=/api/auth; Max-Age=1209600; HttpOnly';

test('a session is its body and its cookie', () => {
  expect(tokensIn(answer(200, session, [cookie]))).toEqual({
    access: 'a.b',
    accessSeconds: 900,
    refresh: 'r1',
    refreshSeconds: 1_209_600,
  });
  expect(tokensIn(answer(401, {}))).toBeUndefined();
  expect(() => tokensIn(answer(200, session))).toThrow('without its cookie');
});

test('only 401 ends a session; any other refusal is a failure', async () => {
  const exchange = (status: number) =>
    createExchange(({ headers }) => {
      expect(headers['cookie']).toBe('tollgate_refresh=r0');
      return Promise.resolve(answer(status, status === 200 ? session : {}, [cookie]));
    })('r0');
  expect((await exchange(200))?.refresh).toBe('r1');
  expect(await exchange(401)).toBeUndefined();
  await expect(exchange(503)).rejects.toThrow('503');
});

test('answers come back as they are, and a failure tells no token', async () => {
  const server = createServer((request, response) => {
    response.setHeader('set-cookie', ['a=1', 'b=2']);
    response.writeHead(418, { 'content-type': 'text/plain' });
    response.end(`${request.method} ${request.url} ${request.headers['if-match']}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const send = createSendToCatalog(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const request = { method: 'PUT', path: '/api/x?q=1', headers: { 'if-match': '"e"' } };
  const got = await send({ ...request, body: Buffer.from('{}') });
  expect([got.status, Buffer.from(got.body).toString(), got.setCookies]).toEqual([
    418,
    'PUT /api/x?q=1 "e"',
    ['a=1', 'b=2'],
  ]);
  expect(got.headers.get('content-type')).toBe('text/plain');

  await new Promise((resolve) => server.close(resolve));
  const secret = { authorization: 'Bearer very-secret' };
  const failed = await send({ ...request, headers: secret }).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(Error);
  expect(inspect(failed, { depth: 9, showHidden: true })).not.toContain('secret');
  expect(String(failed)).toContain('PUT /api/x: ');
});

test('every call shows the console’s own token, and none without one', async () => {
  const seen: unknown[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers['x-service-token']);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const request = { method: 'GET', path: '/api/health', headers: {} };
  await createSendToCatalog(url, 'console-token-0123456789')(request);
  await createSendToCatalog(url)(request);
  expect(seen).toEqual(['console-token-0123456789', undefined]);
  await new Promise((resolve) => server.close(resolve));
});

test('a file comes piece by piece, the refusal of one whole', async () => {
  let goOn: () => void = () => undefined;
  const server = createServer((request, response) => {
    if (request.url?.includes('busy') === true) {
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '10' });
      response.end('{"error":{}}');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/csv' });
    response.write('id\n');
    goOn = () => response.end('1\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const send = createSendToCatalog(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const path = '/api/organisations/o/usage/records/export';
  const got = await send({ method: 'GET', path: `${path}?from=x`, headers: {} });
  const reader = got.file?.getReader();
  // The first piece is here while the rest has not been made.
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('id\n');
  goOn();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('1\n');
  expect((await reader?.read())?.done).toBe(true);

  const refused = await send({ method: 'GET', path: `${path}?busy`, headers: {} });
  expect([refused.status, refused.file, Buffer.from(refused.body).toString()]).toEqual([
    429,
    undefined,
    '{"error":{}}',
  ]);
  await new Promise((resolve) => server.close(resolve));
});
