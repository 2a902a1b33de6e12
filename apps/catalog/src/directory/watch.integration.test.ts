import { EventEmitter } from 'node:events';
import type { ServerWritableStream } from '@grpc/grpc-js';
import type { Invalidation, WatchInvalidationsRequest__Output } from '@tollgate/contracts/node';
import { createLogger } from '@tollgate/kit';
import type { Pool } from 'pg';

import { appendOutbox, createOutboxWake, type OutboxWake } from '../outbox';
import type { Database } from '../schema';
import { startTestDatabases, until, type TestDatabases } from '../test-support';
import { watchInvalidations } from './watch';

let databases: TestDatabases;
let database: Database & { url: string };
let wake: OutboxWake;
beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  wake = createOutboxWake({
    url: database.url,
    log: createLogger({ service: 'test', level: 'error', write: () => {} }),
  });
  // The first connection counts as a wake-up.
  await until(() => wake.count() > 0, 'the listening');
});
afterAll(async () => {
  await wake.close();
  await databases.stop();
});

const watches: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of watches.splice(0)) await stop();
});

const say = () => database.orm.transaction((tx) => appendOutbox(tx, { kind: 'LIMIT' }));

/**
 * Watches from now on, with an hour between heartbeats. Returns the kinds and numbers received so
 * far.
 */
function watch(pool: Pool): readonly string[] {
  const told: string[] = [];
  const call = Object.assign(new EventEmitter(), {
    request: { fromSeq: 0 },
    write: ({ kind = '', seq = 0 }: Invalidation) => told.push(`${kind} ${String(seq)}`) > 0,
    end: () => {},
  });
  const draining = new AbortController();
  const ended = watchInvalidations(
    { pool, wake, heartbeatMs: 3_600_000 },
    call as unknown as ServerWritableStream<WatchInvalidationsRequest__Output, Invalidation>,
    draining.signal,
  );
  watches.push(() => {
    draining.abort();
    return ended;
  });
  return told;
}

test('changes are followed by a heartbeat, which says that there are no more', async () => {
  const told = watch(database.pool);
  await until(() => told.length === 2, 'two heartbeats');
  expect(told).toEqual(['HEARTBEAT 0', 'HEARTBEAT 0']);
  await say();
  await until(() => told.at(-1) === 'HEARTBEAT 1', 'the heartbeat after it');
  expect(told.slice(2)).toContain('LIMIT 1');
});

test('a change that comes while it is reading is told without waiting for the next heartbeat', async () => {
  let raced = false;
  const read = database.pool.query.bind(database.pool) as (query: unknown) => Promise<unknown>;
  // The read misses the change, and its notification arrives before the read returns.
  const late = async (query: unknown): Promise<unknown> => {
    const answer = await read(query);
    if (!raced && (query as { name?: string }).name === 'outbox-read') {
      raced = true;
      const before = wake.count();
      await say();
      await until(() => wake.count() > before, 'the notification');
    }
    return answer;
  };
  const told = watch({ query: late } as unknown as Pool);
  await until(() => told.includes('LIMIT 2'), 'the news');
});
