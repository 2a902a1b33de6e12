import { createServer, type Server, type ServerResponse } from 'node:http';
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
    await Promise.all([state.ask(), state.ask(), state.ask()]);
    expect(await state.ask()).toEqual({ problem: null });
    expect(asked).toBe(1);
    nowMs = 1_000;
    await state.ask();
    expect(asked).toBe(2);
  });

  test('it names the dependency that the catalog misses', async () => {
    answer = { status: 503, body: '{"checks":{"database":{"ok":false},"redis":{"ok":true}}}' };
    const state = createCatalogState(url, { now: () => 0 });
    expect(await state.ask()).toEqual({ problem: 'The catalog cannot reach its database.' });
  });

  test('silent is what the newest answer says, and it is asked again without waiting', async () => {
    let nowMs = 0;
    let frozen = true;
    const waiting: ServerResponse[] = [];
    const catalog = createServer((_request, response) => {
      if (frozen) waiting.push(response);
      else response.end('{"checks":{}}');
    });
    await new Promise<void>((resolve) => catalog.listen(0, '127.0.0.1', resolve));
    const port = String((catalog.address() as AddressInfo).port);
    const state = createCatalogState(`http://127.0.0.1:${port}`, { now: () => nowMs });
    expect(state.isSilent()).toBe(false);
    expect(await state.ask()).toEqual({ problem: 'The catalog does not answer.' });
    expect(state.isSilent()).toBe(true);
    frozen = false;
    nowMs = 1_000;
    expect(state.isSilent()).toBe(true);
    expect(await state.ask()).toEqual({ problem: null });
    expect(state.isSilent()).toBe(false);
    for (const response of waiting) response.destroy();
    await new Promise((resolve) => catalog.close(resolve));
  });

  test('nothing listens, or the answer is not its own', async () => {
    const away = createCatalogState('http://127.0.0.1:1', { now: () => 0 });
    expect(await away.ask()).toEqual({ problem: 'The catalog cannot be reached.' });
    answer = { status: 502, body: '<html>' };
    const other = createCatalogState(url, { now: () => 0 });
    expect(await other.ask()).toEqual({ problem: 'The catalog cannot be reached.' });
  });
});
