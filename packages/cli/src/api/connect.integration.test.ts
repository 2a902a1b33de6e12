import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rest } from '@tollgate/contracts';

import { connect } from './connect';
import { waitUntilReady } from './wait';

// The connection against a real HTTP server that behaves as the management API does.

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server | undefined;
afterEach(
  () => new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve())),
);

async function serve(handle: Handle): Promise<string> {
  server = createServer((request, response) => {
    request.resume().once('end', () => handle(request, response));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

function json(response: ServerResponse, status: number, body: unknown, headers: object = {}): void {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(body));
}

const refused = (code: string) => ({ error: { code, message: 'No.', details: [] } });
const TEAM = {
  id: '00000000-0000-4000-8000-000000000001',
  organisationId: '00000000-0000-4000-8000-000000000002',
  name: 'blue',
  memberCount: 0,
  allowedRegions: [],
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
};
const params = { organisationId: TEAM.organisationId, teamId: TEAM.id };
const page = (data: unknown[], nextCursor: string | null) => ({ data, nextCursor });

test('an expired session is begun again, and each one is ended', async () => {
  const seen: string[] = [];
  let signIns = 0;
  const url = await serve((request, response) => {
    const { method, url: path = '', headers } = request;
    seen.push(`${String(method)} ${path.split('/').at(-1) ?? ''}`);
    if (path === rest.login.path) {
      signIns += 1;
      const session = { accessToken: `token-${signIns}`, tokenType: 'Bearer', expiresIn: 900 };
      json(response, 200, session, { 'set-cookie': `tollgate_refresh=r${signIns}; HttpOnly` });
    } else if (path === rest.logout.path) {
      seen.push(String(headers.cookie));
      response.writeHead(204).end();
    } else if (headers.authorization === 'Bearer token-2') json(response, 200, TEAM);
    else json(response, 401, refused('unauthenticated'));
  });
  const { api, close } = await connect(url, { email: 'a@example.com', password: 'x' });
  expect((await api.call(rest.getTeam, { params })).name).toBe('blue');
  await close();
  expect(seen.map((one) => one.replace(TEAM.id, 'team'))).toEqual([
    'POST login',
    'GET team',
    'POST logout',
    'tollgate_refresh=r1',
    'POST login',
    'GET team',
    'POST logout',
    'tollgate_refresh=r2',
  ]);
});

test('a token that is refused is an error, without a second try', async () => {
  let calls = 0;
  const url = await serve((_request, response) => {
    calls += 1;
    json(response, 401, refused('unauthenticated'));
  });
  const { api, close } = await connect(url, { token: 'old' });
  await expect(api.call(rest.getTeam, { params })).rejects.toMatchObject({ status: 401 });
  await close();
  expect(calls).toBe(1);
});

test('an overloaded installation is asked again only if that cannot do anything twice', async () => {
  const seen: string[] = [];
  const url = await serve(({ method }, response) => {
    seen.push(String(method));
    if (seen.length % 2 === 0 && method !== 'DELETE')
      json(response, method === 'GET' ? 200 : 201, TEAM);
    else json(response, 503, refused('dependency_unavailable'), { 'retry-after': '0' });
  });
  const { api } = await connect(url, { token: 'x' });
  await api.call(rest.getTeam, { params });
  await api.call(rest.createTeam, { params, body: { name: 'blue' }, idempotencyKey: 'k' });
  expect(seen).toEqual(['GET', 'GET', 'POST', 'POST']);
  await expect(api.call(rest.deleteTeam, { params })).rejects.toMatchObject({ status: 503 });
  expect(seen.slice(4)).toEqual(['DELETE']);
});

test('lists are read to their last page, and an endless one is an error', async () => {
  let pages = 0;
  const url = await serve(({ url: path = '' }, response) => {
    pages += 1;
    const endless = path.includes('search=endless');
    const listed = { ...TEAM, spentUsd: '0' };
    const rows = endless ? Array.from({ length: 200 }, () => listed) : [listed];
    json(response, 200, page(rows, endless || pages < 3 ? `c${pages}` : null));
  });
  const { api } = await connect(url, { token: 'x' });
  expect(await api.all(rest.listTeams, params)).toHaveLength(3);
  await expect(api.all(rest.listTeams, params, { search: 'endless' })).rejects.toThrow(
    'listTeams: more than 20000 items',
  );
});

test('a redirect is not followed with the token', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(302, { location: 'http://127.0.0.1:1/elsewhere' }).end();
  });
  const { api } = await connect(url, { token: 'x' });
  await expect(api.call(rest.getTeam, { params })).rejects.toMatchObject({ status: 302 });
});

test('an installation that is starting is waited for, and one that never starts is an error', async () => {
  let asked = 0;
  const url = await serve(({ url: path }, response) => {
    asked += 1;
    json(response, path === rest.getHealth.path && asked === 3 ? 200 : 503, {});
  });
  await waitUntilReady(url, 60_000, 1);
  expect(asked).toBe(3);
  await expect(waitUntilReady(url, 2, 1)).rejects.toThrow(
    `${url} is not ready after 0.002 seconds (status 503)`,
  );
  await expect(waitUntilReady('http://127.0.0.1:1', 2, 1)).rejects.toThrow('ECONNREFUSED');
});
