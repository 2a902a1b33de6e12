import { startSimulator, type Simulator } from '../simulator';
import {
  act,
  answeringClient,
  callsOf,
  connect,
  ERAS,
  httpTransport,
  MODERN,
  requestsOf,
  textOf,
  until,
  type Mode,
} from './test-support/client';

// The official client in every era against one server: what the gateway has to carry.

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

const urlOf = (server: string): string => `${simulator.url}/mcp/${server}`;

const NEGOTIATIONS: readonly (readonly [string, Mode, string, string])[] = [
  ['auto', 'auto', '', '2026-07-28'],
  ['pinned', MODERN, '', '2026-07-28'],
  ['legacy', 'legacy', '', '2025-11-25'],
  ['auto, server legacy only', 'auto', 'sim-legacy', '2025-11-25'],
  ['auto, server modern only', 'auto', 'sim-modern', '2026-07-28'],
];

test.each(NEGOTIATIONS)('%s: negotiates, lists and calls', async (_name, mode, server, version) => {
  const client = await connect(urlOf(server || 'default'), mode);
  expect(client.getNegotiatedProtocolVersion()).toBe(version);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('sim_echo');
  const result = await client.callTool({ name: 'sim_echo', arguments: { a: 1 } });
  expect(textOf(result)).toBe('{"a":1}');
  await client.close();
});

test('a pinned client fails at a legacy server, and a legacy client at a modern one', async () => {
  await expect(connect(urlOf('sim-legacy'), MODERN)).rejects.toThrow();
  await expect(connect(urlOf('sim-modern'), 'legacy')).rejects.toThrow();
});

describe.each(ERAS)('%s', (era, mode) => {
  test('progress comes before the result', async () => {
    const client = await connect(urlOf(`progress-${era}`), mode);
    const seen: number[] = [];
    const call = { name: 'sim_slow', arguments: { ms: 3, steps: 3 } };
    const result = await client.callTool(call, {
      onprogress: ({ progress }) => void seen.push(progress),
    });
    expect(textOf(result)).toBe('Took 3 ms.');
    // The client drops the last one when the result comes with it.
    expect(seen.slice(0, 2)).toEqual([1, 2]);
    await client.close();
  });

  test('the client is asked for everything it can be asked for', async () => {
    const client = await connect(urlOf(`asks-${era}`), mode);
    const answers = [];
    for (const name of [
      'test_elicitation',
      'test_sampling',
      'sim_roots',
      'test_input_required_result_request_state',
      'test_input_required_result_multi_round',
    ])
      answers.push(textOf(await client.callTool({ name, arguments: {} })));
    expect(answers).toEqual([
      expect.stringContaining('action=accept'),
      expect.stringContaining('Paris'),
      'Roots: file:///home',
      expect.stringContaining('state-ok'),
      'Ada likes blue.',
    ]);
    await client.close();
  });

  test('errors of tools are results, errors of the protocol are errors', async () => {
    const client = await connect(urlOf(`errors-${era}`), mode);
    const failed = await client.callTool({ name: 'sim_fail', arguments: { message: 'No.' } });
    expect(failed).toMatchObject({ isError: true, content: [{ text: 'No.' }] });
    const refused = client.callTool({ name: 'sim_protocol_error', arguments: { code: -32_011 } });
    await expect(refused).rejects.toMatchObject({ code: -32_011, data: { by: 'simulator' } });
    await expect(client.callTool({ name: 'none' })).rejects.toMatchObject({ code: -32_602 });
    await client.close();
  });

  test('a call that the client gives up is cancelled in the server', async () => {
    const server = `cancel-${era}`;
    const client = await connect(urlOf(server), mode);
    const abort = new AbortController();
    const call = client.callTool(
      { name: 'sim_hold', arguments: {} },
      { signal: abort.signal, onprogress: () => abort.abort() },
    );
    await expect(call).rejects.toThrow();
    const row = await until('the cancellation', async () =>
      (await callsOf(simulator.url, server)).find(({ cancelled }) => cancelled > 0),
    );
    expect(row).toMatchObject({ name: 'sim_hold', received: 1, started: 1, finished: 0 });
    await client.close();
  });

  test('a changed definition is announced, and listed', async () => {
    const server = `changes-${era}`;
    const client = answeringClient(mode);
    const changed = new Promise<string | undefined>((resolve) => {
      client.setNotificationHandler('notifications/tools/list_changed', async () => {
        const { tools } = await client.listTools({}, { cacheMode: 'refresh' });
        resolve(tools.find(({ name }) => name === 'sim_changing')?.description);
      });
    });
    await client.connect(httpTransport(urlOf(server)));
    if (era === 'modern') await client.listen({ toolsListChanged: true });
    else
      await until('the stream of the session', async () =>
        (await requestsOf(simulator.url, server)).find(({ method }) => method === 'GET'),
      );
    expect(await act(simulator.url, 'change', server)).toEqual({ revision: 2 });
    expect(await changed).toBe('This is revision 2 of the tool.');
    await client.close();
  });

  test('lists come in pages', async () => {
    const server = `sim-pages-3+lists-${era}`;
    const client = await connect(urlOf(server), mode);
    const { tools } = await client.listTools();
    const own = await connect(urlOf('default'), mode);
    expect(tools).toEqual((await own.listTools()).tools);
    const lists = (await callsOf(simulator.url, server)).filter(
      ({ method }) => method === 'tools/list',
    );
    expect(lists).toMatchObject([{ received: 3 }]);
    await expect(client.listTools({ cursor: 'made up' })).rejects.toMatchObject({ code: -32_602 });
    await Promise.all([client.close(), own.close()]);
  });
});

test('a session resumes a stream that broke, and gets the result', async () => {
  const client = await connect(urlOf('resumed'), 'legacy');
  const result = await client.callTool(
    { name: 'sim_hold', arguments: { closeStream: true } },
    { onprogress: () => void act(simulator.url, 'release', 'resumed') },
  );
  expect(textOf(result)).toBe('Released.');
  const resumed = (await requestsOf(simulator.url, 'resumed')).filter(
    ({ headers }) => headers['last-event-id'] !== undefined,
  );
  expect(resumed).toHaveLength(1);
  await client.close();
});

test('a resource that is subscribed to announces its change', async () => {
  const client = answeringClient('legacy');
  const updated = new Promise((resolve) => {
    client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
      resolve(params.uri),
    );
  });
  await client.connect(httpTransport(urlOf('watched')));
  await until('the stream of the session', async () =>
    (await requestsOf(simulator.url, 'watched')).find(({ method }) => method === 'GET'),
  );
  await client.subscribeResource({ uri: 'test://watched-resource' });
  await act(simulator.url, 'touch', 'watched');
  expect(await updated).toBe('test://watched-resource');
  await client.close();
});

test('a session that is closed is gone', async () => {
  const transport = httpTransport(urlOf('closed'));
  const client = await connect('', 'legacy', transport);
  const { sessionId = '' } = transport;
  await transport.terminateSession();
  await client.close();
  const response = await fetch(urlOf('closed'), {
    headers: { accept: 'text/event-stream', 'mcp-session-id': sessionId },
  });
  expect(response.status).toBe(404);
});

test.each(ERAS)('%s: a stop ends calls and streams that are open', async (_era, mode) => {
  const own = await startSimulator();
  const client = await connect(`${own.url}/mcp`, mode);
  const stopped = new Promise<void>((resolve) => {
    const call = client.callTool(
      { name: 'sim_hold', arguments: {} },
      { onprogress: () => void own.stop().then(resolve), timeout: 5_000 },
    );
    call.catch(() => undefined);
  });
  await stopped;
  await client.close();
  await expect(fetch(own.url)).rejects.toThrow();
});
