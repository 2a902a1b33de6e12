import { newTenant, startGateway, type Gateway } from '.';
import { countsOf, runBurst } from './burst/burst';

// Many concurrent calls. Requests beyond policy's capacity wait and are served. Deadlines are the
// services' own, except those that a busy machine would miss.

let gateway: Gateway;
let stop: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  gateway = await startGateway();
  stop = gateway.stop;
});
afterAll(() => stop());

const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${gateway.opsUrl()}/metrics`)).text();
  const line = text.split('\n').find((row) => row.startsWith(name));
  return Number(line?.split(' ').at(-1) ?? Number.NaN);
};

test('requests of a burst wait and are served', async () => {
  const tenant = await newTenant(gateway);
  const { key } = await tenant.key();
  const { replies } = await runBurst(gateway.edgeUrl(), [key], { calls: 900, atOnce: 300 });
  expect(countsOf(replies)).toEqual({ '200': 900 });
  // More requests arrived at once than policy decides concurrently.
  expect(await metric('tollgate_edge_policy_queue_seconds_count')).toBeGreaterThan(0);
  expect(await metric('tollgate_edge_policy_queue_length')).toBe(0);
  expect(await metric('tollgate_edge_policy_in_flight{')).toBe(0);
});
