import { createEventStore } from './event-store';

const message = (text: string) => ({ jsonrpc: '2.0' as const, method: 'm', params: { text } });

async function replayed(store: ReturnType<typeof createEventStore>, after: string) {
  const ids: string[] = [];
  await store.replayEventsAfter(after, {
    send: (id) => {
      ids.push(id);
      return Promise.resolve();
    },
  });
  return ids;
}

test('what is later in the same stream is replayed, in order', async () => {
  const store = createEventStore();
  const first = await store.storeEvent('a', message('1'));
  await store.storeEvent('b', message('2'));
  const third = await store.storeEvent('a', message('3'));
  const fourth = await store.storeEvent('a', message('4'));
  expect(await replayed(store, first)).toEqual([third, fourth]);
  expect(await replayed(store, fourth)).toEqual([]);
});

test('the oldest are dropped beyond the limits of number and size', async () => {
  const many = createEventStore();
  const first = await many.storeEvent('a', message(''));
  for (let event = 0; event < 1_500; event += 1) await many.storeEvent('a', message(''));
  expect(await replayed(many, first)).toHaveLength(1_000);
  const large = createEventStore();
  const small = await large.storeEvent('a', message(''));
  for (let event = 0; event < 4; event += 1)
    await large.storeEvent('a', message('x'.repeat(6 * 1024 * 1024)));
  expect(await replayed(large, small)).toHaveLength(2);
});
