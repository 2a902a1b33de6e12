import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createCatalogState } from './catalog-state';

describe('why the catalog cannot serve pages', () => {
  let server: Server;
  let asked = 0;
  let answer: { status: number; body: string };
  let url: string;

  beforeAll(async () => {
    server = createServer((_request, response) => {
      asked++;
      response.writeHead(answer.status).end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });
  afterAll(() => {
    server.close();
  });

  test('it serves: no problem, and many browsers cost one question a second', async () => {
    answer = { status: 200, body: '{"checks":{}}' };
    let nowMs = 0;
    const state = createCatalogState(url, { now: () => nowMs });
    asked = 0;
    await Promise.all([state(), state(), state()]);
    expect(await state()).toEqual({ problem: null });
    expect(asked).toBe(1);
    nowMs = 1_000;
    await state();
    expect(asked).toBe(2);
  });

  test('it names the dependency that the catalog misses', async () => {
    answer = { status: 503, body: '{"checks":{"database":{"ok":false},"redis":{"ok":true}}}' };
    const state = createCatalogState(url, { now: () => 0 });
    expect(await state()).toEqual({ problem: 'The catalog cannot reach its database.' });
  });

  test('nothing listens, or the answer is not its own', async () => {
    const away = createCatalogState('http://127.0.0.1:1', { now: () => 0 });
    expect(await away()).toEqual({ problem: 'The catalog cannot be reached.' });
    answer = { status: 502, body: '<html>' };
    const other = createCatalogState(url, { now: () => 0 });
    expect(await other()).toEqual({ problem: 'The catalog cannot be reached.' });
  });
});
