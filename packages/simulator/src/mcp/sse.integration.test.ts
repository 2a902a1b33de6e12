import { SSEClientTransport } from '@modelcontextprotocol/client';

import { startSimulator, type Simulator } from '../simulator';
import { act, answeringClient, callsOf, textOf } from './test-support/client';

// The oldest transport, by the client that still speaks it.

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

test('an HTTP+SSE client calls tools, answers requests, gets notifications and closes', async () => {
  const client = answeringClient('legacy');
  const changed = new Promise<void>((resolve) => {
    client.setNotificationHandler('notifications/tools/list_changed', () => resolve());
  });
  await client.connect(new SSEClientTransport(new URL(`${simulator.url}/mcp/old/sse`)));
  const seen: number[] = [];
  const slow = { name: 'sim_slow', arguments: { ms: 3, steps: 3 } };
  await client.callTool(slow, { onprogress: ({ progress }) => void seen.push(progress) });
  // The client drops the last one when the result comes with it.
  expect(seen.slice(0, 2)).toEqual([1, 2]);
  const asked = await client.callTool({ name: 'test_sampling', arguments: { prompt: 'Hi' } });
  expect(textOf(asked)).toContain('Paris');
  await act(simulator.url, 'change', 'old');
  await changed;
  await client.close();
  expect(await callsOf(simulator.url, 'old')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'test_sampling', received: 1, finished: 2 }),
    ]),
  );
});

test('a message for an unknown stream gets 404, and an invalid message gets 400', async () => {
  const post = (id: string, body: string): Promise<Response> =>
    fetch(`${simulator.url}/mcp/old/messages?sessionId=${id}`, { method: 'POST', body });
  expect((await post('none', '{}')).status).toBe(404);
  const stream = await fetch(`${simulator.url}/mcp/old/sse`);
  const reader = stream.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  const id = /sessionId=([\w-]+)/.exec(Buffer.from(value ?? []).toString())?.[1] ?? '';
  expect((await post(id, 'no json')).status).toBe(400);
  await reader?.cancel();
});
