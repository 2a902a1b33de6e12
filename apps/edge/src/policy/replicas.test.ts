import { until } from '../test-support/harness';
import { createReplicas, type Replica, type Replicas, type ReplicasDeps } from './replicas';

let running: Replicas[] = [];
afterEach(() => {
  for (const replicas of running.splice(0)) replicas.stop();
});

/** Replicas with a name server of the test's own. */
function open(addresses: string[], over: Partial<ReplicasDeps> = {}) {
  const world = {
    answers: new Map<string, readonly string[]>(),
    lookups: 0,
    changes: [] as (readonly Replica[])[],
    failures: [] as string[],
  };
  const replicas = createReplicas({
    addresses,
    lookup: async (host) => {
      world.lookups += 1;
      const found = world.answers.get(host);
      if (!found) throw new Error('ENOTFOUND');
      return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
    onChange: (list) => world.changes.push(list),
    onFailure: (host, reason) => world.failures.push(`${host}: ${reason}`),
    intervalMs: 1,
    soonMs: 1,
    ...over,
  });
  running.push(replicas);
  const addressesNow = () => replicas.current().map(({ address }) => address);
  return { world, replicas, addressesNow };
}

test('literal addresses and localhost are used as they are, and nothing is looked up', () => {
  const written = ['10.0.0.1:50051', '[fd00::1]:50051', 'localhost:50051'];
  const { addressesNow, replicas, world } = open(written);
  replicas.lookAgain();
  expect(addressesNow()).toEqual(written);
  expect(replicas.current()[0]?.serverName).toBeUndefined();
  expect(world.lookups).toBe(0);
});

test('a name stands for all of its addresses, which keep its name for TLS', async () => {
  const { replicas, world } = open(['policy:50051', '10.0.0.9:1']);
  world.answers.set('policy', ['10.0.0.2', '10.0.0.1', '10.0.0.2']);
  await until(() => world.changes.length > 0, 'the addresses');
  expect(replicas.current()).toEqual([
    { address: '10.0.0.1:50051', serverName: 'policy' },
    { address: '10.0.0.2:50051', serverName: 'policy' },
    { address: '10.0.0.9:1' },
  ]);
});

test('replicas that come and go are found, and an unchanged list is reported once', async () => {
  const { world } = open(['policy:50051']);
  world.answers.set('policy', ['10.0.0.1']);
  await until(() => world.changes.length === 1, 'the first list');
  const before = world.lookups;
  await until(() => world.lookups > before + 3, 'more lookups');
  expect(world.changes).toHaveLength(1);
  world.answers.set('policy', ['10.0.0.2', '10.0.0.3']);
  await until(() => world.changes.length === 2, 'the second list');
  expect(world.changes[1]?.map(({ address }) => address)).toEqual([
    '10.0.0.2:50051',
    '10.0.0.3:50051',
  ]);
});

test.each([
  ['a failed lookup', undefined],
  ['an empty answer', []],
])('%s changes nothing', async (_, answer) => {
  const { addressesNow, world } = open(['policy:50051']);
  world.answers.set('policy', ['10.0.0.1']);
  await until(() => world.changes.length === 1, 'the first list');
  world.failures.length = 0;
  if (answer) world.answers.set('policy', answer);
  else world.answers.delete('policy');
  const before = world.lookups;
  await until(() => world.lookups > before + 1, 'more lookups');
  expect(addressesNow()).toEqual(['10.0.0.1:50051']);
  expect(world.failures.length > 0).toBe(answer === undefined);
});

test('of both families IPv4 is used, and IPv6 where there is nothing else', async () => {
  const { addressesNow, world } = open(['policy:50051']);
  world.answers.set('policy', ['fd00::1', '10.0.0.1']);
  await until(() => world.changes.length === 1, 'the first list');
  expect(addressesNow()).toEqual(['10.0.0.1:50051']);
  world.answers.set('policy', ['fd00::1']);
  await until(() => world.changes.length === 2, 'the second list');
  expect(addressesNow()).toEqual(['[fd00::1]:50051']);
});

test('at most 64 addresses of a name are used', async () => {
  const { addressesNow, world } = open(['policy:50051']);
  world.answers.set(
    'policy',
    Array.from({ length: 70 }, (_, n) => `10.0.0.${String(n + 1)}`),
  );
  await until(() => world.changes.length === 1, 'the list');
  expect(addressesNow()).toHaveLength(64);
});

test('a lost replica brings the next lookup forward', async () => {
  const { replicas, world } = open(['policy:50051'], { intervalMs: 600_000 });
  world.answers.set('policy', ['10.0.0.1']);
  await until(() => world.changes.length === 1, 'the first list');
  world.answers.set('policy', ['10.0.0.2']);
  replicas.lookAgain();
  replicas.lookAgain();
  await until(() => world.changes.length === 2, 'the second list');
});
