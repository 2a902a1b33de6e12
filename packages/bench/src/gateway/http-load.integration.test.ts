import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { runJob } from './http-load';
import type { Job } from './job';

describe('load over HTTP', () => {
  let server: Server;
  let seen: string[] = [];
  let answer = 200;

  beforeEach(async () => {
    seen = [];
    answer = 200;
    server = createServer((request, response) => {
      seen.push(request.headers.authorization ?? '');
      request.resume().once('end', () => response.writeHead(answer).end('{}'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const job = (over: Partial<Job> = {}): Job => ({
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1/x`,
    headers: { 'content-type': 'application/json' },
    body: '{}',
    expect: 200,
    connections: 4,
    seconds: 0.2,
    ...over,
  });

  it('begins exactly the offered requests, and times each from when it was due', async () => {
    const outcome = await runJob(job({ perSecond: 500 }));
    expect(outcome.requests).toBe(100);
    expect(seen).toHaveLength(100);
    expect(outcome.totalUs.p50).toBeGreaterThan(0);
    expect(outcome.totalUs.p999).toBeGreaterThanOrEqual(outcome.totalUs.p50);
  });

  it('charges a server that holds everybody up with all who waited', async () => {
    const waiting: (() => void)[] = [];
    server.removeAllListeners('request');
    server.on('request', (request, response) => {
      request.resume();
      waiting.push(() => response.end('{}'));
      // Nobody is answered until all of them are here, the last after 190 ms.
      if (waiting.length === 20) for (const one of waiting) one();
    });
    const outcome = await runJob(job({ perSecond: 100, connections: 20 }));
    expect(outcome.requests).toBe(20);
    // The first was due 190 ms before the last; a closed loop would have seen one slow answer.
    expect(outcome.totalUs.p50).toBeGreaterThan(80_000);
  });

  it('sends its keys in turn', async () => {
    await runJob(job({ perSecond: 200, tokens: ['a', 'b'], seconds: 0.05 }));
    expect(seen.toSorted()).toEqual([
      ...Array.from({ length: 5 }, () => 'Bearer a'),
      ...Array.from({ length: 5 }, () => 'Bearer b'),
    ]);
  });

  it('counts what is not the expected answer apart', async () => {
    answer = 503;
    const { requests, failures } = await runJob(job({ perSecond: 100, seconds: 0.1 }));
    expect(requests).toBe(0);
    expect(failures).toEqual({ 'status 503': 10 });
  });

  it('keeps every connection busy in a closed loop', async () => {
    const { requests, failures } = await runJob(job({ connections: 3 }));
    expect(failures).toEqual({});
    expect(requests).toBe(seen.length);
    expect(requests).toBeGreaterThanOrEqual(3);
  });
});
