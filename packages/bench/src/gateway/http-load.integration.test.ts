import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { runJob } from './http-load';
import type { Job } from './job';
import { runWrk, wrkIsThere } from './wrk';

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

  it('starts exactly the offered requests, and times each from its scheduled start', async () => {
    const outcome = await runJob(job({ perSecond: 500 }));
    expect(outcome.requests).toBe(100);
    expect(seen).toHaveLength(100);
    expect(outcome.totalUs.p50).toBeGreaterThan(0);
    expect(outcome.totalUs.p999).toBeGreaterThanOrEqual(outcome.totalUs.p50);
  });

  it('charges a stalled server for every waiting request', async () => {
    const waiting: (() => void)[] = [];
    server.removeAllListeners('request');
    server.on('request', (request, response) => {
      request.resume();
      waiting.push(() => response.end('{}'));
      // The server answers only once all requests have arrived, the last after 190 ms.
      if (waiting.length === 20) for (const one of waiting) one();
    });
    const outcome = await runJob(job({ perSecond: 100, connections: 20 }));
    expect(outcome.requests).toBe(20);
    // The first was due 190 ms before the last; a closed loop would have measured one slow answer.
    expect(outcome.totalUs.p50).toBeGreaterThan(80_000);
  });

  it('charges the wait for a connection, and serves waiting requests in order', async () => {
    server.removeAllListeners('request');
    server.on('request', (request, response) => {
      seen.push(request.headers.authorization ?? '');
      const answer = (): unknown => response.end('{}');
      request.resume().once('end', () => {
        if (seen.length > 1) answer();
        else setTimeout(answer, 100);
      });
    });
    const tokens = Array.from({ length: 50 }, (_, at) => String(at));
    const outcome = await runJob(job({ perSecond: 1_000, seconds: 0.05, connections: 1, tokens }));
    expect(outcome.requests).toBe(50);
    // No request is answered before 100 ms, and the last one was due after 49.
    expect(outcome.totalUs.p50).toBeGreaterThan(50_000);
    expect(seen).toEqual(tokens.map((token) => `Bearer ${token}`));
  });

  it.each([{ perSecond: 100 }, { connections: 1 }])('excludes the warm-up: %j', async (over) => {
    answer = 503;
    let before = 0;
    const outcome = await runJob(job({ ...over, warmUpSeconds: 0.1, seconds: 0.1 }), async () => {
      before = seen.length;
      answer = 200;
    });
    expect(before).toBeGreaterThan(0);
    expect(outcome.failures).toEqual({});
    expect(outcome.requests).toBe(seen.length - before);
    if ('perSecond' in over) expect([before, outcome.requests]).toEqual([10, 10]);
  });

  it('sends its keys in turn', async () => {
    await runJob(job({ perSecond: 200, tokens: ['a', 'b'], seconds: 0.05 }));
    expect(seen.toSorted()).toEqual([
      ...Array.from({ length: 5 }, () => 'Bearer a'),
      ...Array.from({ length: 5 }, () => 'Bearer b'),
    ]);
  });

  it('sends a single-use token once', async () => {
    const tokens = Array.from({ length: 50 }, (_, at) => `once-${String(at)}`);
    const { requests } = await runJob(job({ tokens, once: true, seconds: 60 }));
    expect(requests).toBe(50);
    expect(seen.toSorted()).toEqual(tokens.map((token) => `Bearer ${token}`).toSorted());
  });

  it('counts unexpected answers separately', async () => {
    answer = 503;
    const { requests, failures } = await runJob(job({ perSecond: 100, seconds: 0.1 }));
    expect(requests).toBe(0);
    expect(failures).toEqual({ 'status 503': 10 });
  });

  (wrkIsThere() ? it : it.skip)('runs the same job with wrk', async () => {
    const tokens = ['a', 'b', 'c'];
    const { requests, failures, elapsedMs } = await runWrk(job({ tokens, seconds: 1 }));
    expect(failures).toEqual({});
    expect(requests).toBeGreaterThanOrEqual(3);
    expect(elapsedMs).toBeGreaterThan(0);
    expect(new Set(seen)).toEqual(new Set(['Bearer a', 'Bearer b', 'Bearer c']));
    answer = 402;
    const other = await runWrk(job({ seconds: 1 }));
    expect(other.requests).toBe(0);
    expect(Object.keys(other.failures)).toEqual(['status 402']);
    expect(seen.at(-1)).toBe('');
  });

  it('keeps every connection busy in a closed loop', async () => {
    const { requests, failures } = await runJob(job({ connections: 3 }));
    expect(failures).toEqual({});
    expect(requests).toBe(seen.length);
    expect(requests).toBeGreaterThanOrEqual(3);
  });
});
