import { openHeap, WITH_INSPECTOR, type Heap } from '@tollgate/stack';
import { Pool } from 'undici';

import { eventually, newTenant, startGateway, type Gateway } from '.';

// The short form of `npm run soak`: the heap growth of edge and policy per request, once every
// bounded cache is full.

const SERVICES = ['edge-1', 'policy-1'] as const;
/** More entries than the largest cache that requests fill. */
const WARM_UP = 8_000;
/** A heap that leaks nothing differs by up to 1.5 MB from one collection to another. */
const BLOCK = 6_000;
/** A leaked request would be ten times as large. */
const BYTES_A_REQUEST = 500;

let gateway: Gateway;
let stop: () => Promise<void> = async () => undefined;
let pool: Pool;
let key: string;
const heaps = new Map<string, Heap>();

/** Of ten requests, one is streamed to its end, one is aborted midway, one is refused. */
async function call(n: number): Promise<void> {
  const kind = n % 10;
  const { statusCode, body } = await pool.request({
    path: '/v1/chat/completions',
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({
      model: kind === 2 ? 'nobody' : 'chat',
      stream: kind < 2,
      messages: [{ role: 'user', content: 'Hello there' }],
    }),
  });
  expect(statusCode).toBe(kind === 2 ? 404 : 200);
  for await (const _part of body) if (kind === 1) break;
}

async function calls(count: number): Promise<void> {
  let next = 0;
  const one = async (): Promise<void> => {
    for (let n = next; n < count; n = next) {
      next += 1;
      await call(n);
    }
  };
  await Promise.all(Array.from({ length: 16 }, one));
  // Settles are kept until they are booked, so they are not a leak.
  await eventually('everything to be booked', async () => {
    const text = await (await fetch(`${gateway.opsUrl()}/metrics`)).text();
    return /^tollgate_edge_settles_unbooked\{[^}]*\} 0$/m.test(text);
  });
}

async function sizes(): Promise<Record<string, number>> {
  const used: Record<string, number> = {};
  for (const [name, heap] of heaps) used[name] = (await heap.used()).heap;
  return used;
}

describe.each(['off', 'on'])('with FLOATS=%s', (FLOATS) => {
  beforeAll(async () => {
    gateway = await startGateway({
      env: { edge: { ...WITH_INSPECTOR }, policy: { ...WITH_INSPECTOR, FLOATS } },
    });
    stop = gateway.stop;
    for (const name of SERVICES) {
      heaps.set(name, await openHeap(gateway.state.path('logs', `${name}.log`)));
    }
    key = (await (await newTenant(gateway)).key()).key;
    pool = new Pool(gateway.edgeUrl(), { connections: 16, pipelining: 1 });
  });
  afterAll(async () => {
    for (const heap of heaps.values()) heap.close();
    await pool.destroy();
    await stop();
  });

  test('thousands of requests leave no memory behind', async () => {
    await calls(WARM_UP);
    const before = await sizes();
    await calls(BLOCK);
    const after = await sizes();
    for (const name of SERVICES) {
      const grown = ((after[name] ?? Infinity) - (before[name] ?? 0)) / BLOCK;
      expect({ name, grown, little: grown < BYTES_A_REQUEST }).toMatchObject({ little: true });
    }
  });
});
