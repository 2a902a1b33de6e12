import { createLogger } from './logger';
import { createMetrics } from './metrics';
import { listenOps, type OpsReport } from './ops-server';

const lines: string[] = [];
const log = createLogger({ service: 'test', level: 'info', write: (line) => lines.push(line) });
const metrics = createMetrics({ service: 'test' });
let ready: () => Promise<OpsReport> = async () => ({ ok: true, body: { status: 'ok' } });
let server: Awaited<ReturnType<typeof listenOps>>;

beforeAll(async () => {
  server = await listenOps({
    host: '127.0.0.1',
    port: 0,
    metrics,
    ready: () => ready(),
    health: async () => ({ ok: false, body: { checks: { cache: { message: 'redis:6379' } } } }),
    log,
  });
});
afterAll(() => server.close({ drainMs: 0 }));
const get = (path: string, method = 'GET') => fetch(server.url + path, { method });

test('says that it lives whatever else is away', async () => {
  ready = async () => ({ ok: false, body: { status: 'unavailable' } });
  expect((await get('/livez')).status).toBe(200);
});

test('readiness and health are 503 with the details when a check fails', async () => {
  ready = async () => ({ ok: false, body: { status: 'unavailable' } });
  expect((await get('/readyz')).status).toBe(503);
  const health = await get('/healthz?verbose');
  expect(health.status).toBe(503);
  expect(await health.json()).toEqual({ checks: { cache: { message: 'redis:6379' } } });
  ready = async () => ({ ok: true, body: { status: 'ok' } });
  expect((await get('/readyz')).status).toBe(200);
});

test('metrics are always served', async () => {
  expect(await (await get('/metrics')).text()).toContain('process_cpu_seconds_total');
  const head = await get('/metrics', 'HEAD');
  expect([head.status, await head.text()]).toEqual([200, '']);
});

test('another path names the ones there are; another method is 405', async () => {
  const missing = await get('/__proto__');
  expect(missing.status).toBe(404);
  expect(await missing.json()).toMatchObject({ paths: expect.arrayContaining(['/readyz']) });
  expect((await get('/readyz', 'POST')).status).toBe(405);
});

test('a check that throws is 500, and what it threw is in the log only', async () => {
  ready = async () => {
    throw new Error('a secret address');
  };
  const answer = await get('/readyz');
  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toContain('secret');
  await log.flush();
  expect(lines.join('')).toContain('a secret address');
});
