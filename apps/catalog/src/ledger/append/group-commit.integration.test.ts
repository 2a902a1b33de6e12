import { shardOf } from '@tollgate/contracts';
import type { AppendRequest__Output } from '@tollgate/contracts/node';
import { createLogger, uuidv7 } from '@tollgate/kit';
import fc from 'fast-check';

import { inTransaction } from '../../db';
import { type Database } from '../../schema';
import {
  createBudget,
  createTenant,
  entryOf,
  nextBatch,
  NOON_MS,
  startTestDatabases,
  type EntryValues,
  type Tenant,
  type TestDatabases,
} from '../../test-support';
import { lockShard } from '../records/shards';
import { UsageRecord } from '../records/usage-record.entity';
import { verifyLedger } from '../verify/verify';
import { append, type AppendOutcome } from './append';
import { createGroupCommit } from './group-commit';

let databases: TestDatabases;
let database: Database;
let tenants: readonly Tenant[];
beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
});
afterAll(() => databases.stop());
beforeEach(async () => {
  logged = [];
  tenants = await tenantsOfOwnShards(4);
});
afterEach(async () => {
  const { ok, windowBreaches, rollupBreaches } = await verifyLedger(database.pool);
  expect({ ok, windowBreaches, rollupBreaches }).toEqual({
    ok: true,
    windowBreaches: [],
    rollupBreaches: [],
  });
});

let logged: string[] = [];
const log = createLogger({
  service: 'catalog',
  level: 'info',
  write: (line) => logged.push(line),
});
const joinedOn = (pool: Database['pool']) => createGroupCommit({ pool, log });

async function tenantsOfOwnShards(count: number): Promise<Tenant[]> {
  const byShard = new Map<number, Tenant>();
  while (byShard.size < count) {
    const tenant = await createTenant(database.orm);
    byShard.set(shardOf(tenant.organisationId), tenant);
  }
  return [...byShard.values()];
}

const batchOf = (tenant: Tenant, entries = 2, values: EntryValues = {}) =>
  nextBatch(
    database.pool,
    tenant,
    Array.from({ length: entries }, () => entryOf(tenant, values)),
  );

const batches = (entries = 2) => Promise.all(tenants.map((tenant) => batchOf(tenant, entries)));

const committed = (outcomes: readonly AppendOutcome[]) =>
  outcomes.map(({ reply }) => reply.committed);

const recordsOf = (tenant: Tenant | undefined) =>
  database.orm.manager.countBy(UsageRecord, { organisationId: tenant?.organisationId ?? '' });

/** The number of transactions that last updated these shards' rows. */
async function transactionsOf(requests: readonly AppendRequest__Output[]): Promise<number> {
  const { rows } = await database.pool.query<{ xmin: string }>(
    'SELECT DISTINCT xmin::text FROM ledger_shard WHERE id = ANY($1::smallint[])',
    [requests.map(({ shard }) => shard)],
  );
  return rows.length;
}

test('small batches that come at the same time are committed in one transaction', async () => {
  const requests = await batches();
  const outcomes = await Promise.all(requests.map(joinedOn(database.pool)));
  for (const [at, { reply, ...rest }] of outcomes.entries()) {
    expect(rest).toEqual({ records: 2, adjustments: 0 });
    expect(reply).toEqual({
      committed: true,
      state: { shard: requests[at]?.shard, epoch: 0, lastSeq: requests[at]?.last, rev: 0 },
      forgetLimitIds: [],
    });
  }
  expect(await transactionsOf(requests)).toBe(1);
  expect(logged).toEqual([]);
  await expect(Promise.all(tenants.map(recordsOf))).resolves.toEqual([2, 2, 2, 2]);
});

test('what comes while they are committed goes together after them', async () => {
  const appendJoined = joinedOn(database.pool);
  const [first, ...others] = await batches();
  if (first === undefined) throw new Error('there are tenants');
  const all: Promise<AppendOutcome>[] = [];
  await inTransaction(database.pool, async (tx) => {
    // Blocks the first append at its records; its shard is free.
    await tx.query('LOCK TABLE usage_record IN SHARE MODE');
    all.push(appendJoined(first));
    await blocked(1);
    all.push(...others.map(appendJoined));
  });
  expect(committed(await Promise.all(all))).toEqual([true, true, true, true]);
  expect(await transactionsOf(others)).toBe(1);
  expect(await transactionsOf([first, ...others])).toBe(2);
});

test('each is told of its own limits to forget', async () => {
  const [one, other] = tenants;
  if (one === undefined || other === undefined) throw new Error('there are tenants');
  const ids = [await createBudget(database.orm, one), await createBudget(database.orm, other)];
  const outcomes = await Promise.all((await batches()).map(joinedOn(database.pool)));
  expect(outcomes.map(({ reply }) => reply.forgetLimitIds)).toEqual([[ids[0]], [ids[1]], [], []]);
});

test('one that stands elsewhere is answered where; the others are committed', async () => {
  const [stale, ...rest] = await batches();
  if (stale === undefined) throw new Error('there are tenants');
  await append(database.pool, stale);
  const outcomes = await Promise.all([stale, ...rest].map(joinedOn(database.pool)));
  expect(committed(outcomes)).toEqual([false, true, true, true]);
  expect(outcomes[0]?.reply.state).toMatchObject({ shard: stale.shard, lastSeq: stale.last });
  expect(await transactionsOf(rest)).toBe(1);
});

test('of two batches of one shard from the same position one is committed', async () => {
  const [batch] = await batches();
  if (batch === undefined) throw new Error('there are tenants');
  const appendJoined = joinedOn(database.pool);
  const outcomes = await Promise.all([appendJoined(batch), appendJoined(batch)]);
  expect(committed(outcomes)).toEqual([true, false]);
  expect(await recordsOf(tenants[0])).toBe(2);
});

test('a shard that is held by a correction keeps none but its own waiting', async () => {
  const requests = await batches();
  const [held, ...free] = requests.map((request) => ({ request, done: false }));
  if (held === undefined) throw new Error('there are tenants');
  const appendJoined = joinedOn(database.pool);
  let waits: Promise<AppendOutcome> | undefined;
  await inTransaction(database.pool, async (tx) => {
    await lockShard(tx, held.request.shard);
    waits = appendJoined(held.request).finally(() => (held.done = true));
    const outcomes = await Promise.all(free.map(({ request }) => appendJoined(request)));
    expect(committed(outcomes)).toEqual([true, true, true]);
    expect(await transactionsOf(free.map(({ request }) => request))).toBe(1);
    await blocked(1);
    expect(held.done).toBe(false);
    // Appends that arrive meanwhile are not blocked.
    const later = await batchOf(tenants[1] ?? ({} as Tenant));
    expect(committed([await appendJoined(later)])).toEqual([true]);
  });
  expect((await waits)?.reply.committed).toBe(true);
});

test('rows of one organisation that are held keep the others waiting for a second at most', async () => {
  const [tenant] = tenants;
  if (tenant === undefined) throw new Error('there are tenants');
  const budgetId = await createBudget(database.orm, tenant);
  const appendJoined = joinedOn(database.pool);
  await Promise.all((await batches()).map(appendJoined));
  const requests = await batches();
  const [held, ...free] = requests;
  let waits: Promise<AppendOutcome> | undefined;
  await inTransaction(database.pool, async (tx) => {
    await tx.query('SELECT FROM budget_window WHERE budget_id = $1 FOR UPDATE', [budgetId]);
    waits = appendJoined(held ?? ({} as AppendRequest__Output));
    const outcomes = await Promise.all(free.map(appendJoined));
    expect(committed(outcomes)).toEqual([true, true, true]);
  });
  expect((await waits)?.reply.committed).toBe(true);
});

test('one that takes long to book keeps the others waiting for two seconds at most', async () => {
  const requests = await batches();
  await database.pool.query(`
    CREATE FUNCTION take_long() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(3); RETURN NEW; END $$;
    CREATE TRIGGER take_long BEFORE INSERT ON usage_record FOR EACH ROW
      WHEN (NEW.id = '${requests[0]?.entries[0]?.requestId ?? ''}') EXECUTE FUNCTION take_long()`);
  const done: number[] = [];
  const joined = joinedOn(database.pool);
  const outcomes = await Promise.all(
    requests.map(async (request, at) => {
      const outcome = await joined(request);
      done.push(at);
      return outcome;
    }),
  );
  expect(committed(outcomes)).toEqual([true, true, true, true]);
  expect(done.at(-1)).toBe(0);
  expect(await transactionsOf(requests)).toBe(4);
  await database.pool.query('DROP FUNCTION take_long CASCADE');
});

test('one that cannot be booked is refused alone, and booked is what can be', async () => {
  const [bad, unreadable, ...good] = await batches();
  if (bad === undefined || unreadable === undefined) throw new Error('there are tenants');
  await database.pool.query(
    `INSERT INTO usage_removed (organisation_id, records_from) VALUES ($1, '2100-01-01')`,
    [tenants[0]?.organisationId],
  );
  const appendJoined = joinedOn(database.pool);
  const settled = await Promise.allSettled([
    appendJoined(bad),
    appendJoined({ ...unreadable, last: unreadable.last + 1 }),
    ...good.map(appendJoined),
  ]);
  expect(settled).toMatchObject([
    {
      reason: expect.objectContaining({ message: expect.stringContaining('removed by retention') }),
    },
    { reason: expect.any(RangeError) },
    { value: { reply: { committed: true } } },
    { value: { reply: { committed: true } } },
  ]);
  await expect(Promise.all(tenants.map(recordsOf))).resolves.toEqual([0, 0, 2, 2]);
  expect(logged.filter((line) => line.includes('group commit failed'))).toHaveLength(1);
  await database.pool.query('DELETE FROM usage_removed');
});

test('many go alone', async () => {
  const requests = await batches(101);
  const outcomes = await Promise.all(requests.map(joinedOn(database.pool)));
  expect(outcomes.map(({ records }) => records)).toEqual([101, 101, 101, 101]);
  expect(await transactionsOf(requests)).toBe(4);
});

test('together they are 500 entries at most', async () => {
  tenants = await tenantsOfOwnShards(6);
  const requests = await batches(90);
  await Promise.all(requests.map(joinedOn(database.pool)));
  expect(await transactionsOf(requests.slice(0, 5))).toBe(1);
  expect(await transactionsOf(requests)).toBe(2);
});

/** What the drainers of four shards send concurrently, and what fails. */
const round = fc.record({
  sent: fc.array(
    fc.record({
      tenant: fc.nat(3),
      kind: fc.constantFrom('next', 'next', 'next', 'again', 'twice', 'quarantined'),
      closes: fc.array(
        fc.record({
          request: fc.nat(5),
          mode: fc.constantFrom('SETTLED', 'ABANDONED', 'CANCELLED'),
          cost: fc.nat(5_000),
          hour: fc.integer({ min: -30, max: 30 }),
        }),
        { maxLength: 6 },
      ),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  /** The connection of a group commit breaks after this many statements. */
  diesAfter: fc.option(fc.integer({ min: 1, max: 14 }), { nil: Number.POSITIVE_INFINITY }),
});
interface Sent {
  tenant: number;
  kind: string;
  closes: readonly Close[];
}
interface Close {
  request: number;
  mode: string;
  cost: number;
  hour: number;
}

test('together, again, twice or killed midway: the books are as if each had come alone', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 5 }), async (rounds) => {
      const eight = await tenantsOfOwnShards(8);
      const together = await createDrainers(eight.slice(0, 4));
      const alone = await createDrainers(eight.slice(4));
      for (const { sent, diesAfter } of rounds) {
        const joined = joinedOn(dying(diesAfter));
        const outcomes = await Promise.all((await together.requestsOf(sent)).map(joined));
        const expected: AppendOutcome[] = [];
        for (const request of await alone.requestsOf(sent)) {
          expected.push(await append(database.pool, request));
        }
        // The order of two racing appends is not defined.
        expect(outcomes.map(textOf).toSorted()).toEqual(expected.map(textOf).toSorted());
      }
      expect(await together.books()).toEqual(await alone.books());
    }),
    { numRuns: 60 },
  );
});

function textOf({ reply: { committed, forgetLimitIds }, ...counts }: AppendOutcome): string {
  return JSON.stringify({ ...counts, committed, forgets: forgetLimitIds?.length });
}

/** Four organisations with a budget each, and the requests of their drainers. */
async function createDrainers(four: readonly Tenant[]) {
  const drainers = four.map((tenant) => ({
    tenant,
    requestIds: Array.from({ length: 6 }, () => uuidv7()),
    previous: undefined as AppendRequest__Output | undefined,
  }));
  for (const { tenant } of drainers) await createBudget(database.orm, tenant);
  type Drainer = (typeof drainers)[number];

  const entriesOf = ({ tenant, requestIds }: Drainer, closes: readonly Close[]) =>
    closes.map(({ request, mode, cost, hour }) =>
      entryOf(tenant, {
        requestId: requestIds[request] ?? '',
        mode,
        authorisedAtMs: NOON_MS + hour * 3_600_000,
        heldNanoUsd: '7000',
        settle: { costNanoUsd: mode === 'ABANDONED' ? '' : String(cost) },
      }),
    );

  const requestsOfOne = async ({ tenant, kind, closes }: Sent) => {
    const drainer = drainers[tenant];
    if (drainer === undefined) throw new Error('there are four drainers');
    if (kind === 'again' && drainer.previous !== undefined) return [drainer.previous];
    const next = await nextBatch(database.pool, drainer.tenant, entriesOf(drainer, closes));
    drainer.previous = { ...next, quarantine: kind === 'quarantined' };
    return kind === 'twice' ? [drainer.previous, drainer.previous] : [drainer.previous];
  };

  return {
    /** One batch for each drainer and round. */
    requestsOf: async (sent: readonly Sent[]) => {
      const last = [...new Map(sent.map((one) => [one.tenant, one])).values()];
      return (await Promise.all(last.map(requestsOfOne))).flat();
    },
    books: () => Promise.all(drainers.map(({ tenant }) => booksOf(tenant))),
  };
}

/** An organisation's rows in the books, without ids. */
async function booksOf({ organisationId }: Tenant): Promise<unknown> {
  const { rows } = await database.pool.query(
    `SELECT
      (SELECT jsonb_agg(jsonb_build_array(mode, cost_nano_usd, authorised_at) ORDER BY seq)
        FROM usage_record WHERE organisation_id = $1) AS records,
      (SELECT jsonb_agg(jsonb_build_array(kind, cost_nano_usd, part) ORDER BY kind, cost_nano_usd, part)
        FROM usage_adjustment WHERE organisation_id = $1) AS adjustments,
      (SELECT jsonb_agg(jsonb_build_array(starts_at, spent_nano_usd) ORDER BY starts_at)
        FROM budget_window w JOIN budget b ON b.id = w.budget_id
        WHERE b.organisation_id = $1) AS windows`,
    [organisationId],
  );
  return rows[0];
}

/** Waits until this many statements wait for a lock. */
async function blocked(count: number): Promise<void> {
  for (;;) {
    const { rows } = await database.pool.query(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (rows.length >= count) return;
  }
}

/** A pool whose connections break after some statements of a group commit. */
function dying(afterQueries: number): Database['pool'] {
  const { pool } = database;
  let left = afterQueries;
  const made = Object.create(pool) as typeof pool;
  made.connect = (async () => {
    const client = await pool.connect();
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const wrapped = Object.create(client) as typeof client;
    let joined = false;
    wrapped.query = ((...args: unknown[]) => {
      joined ||= String(args[0]).includes('lock_timeout');
      if (joined && args[0] !== 'ROLLBACK' && (left -= 1) < 0) {
        return Promise.reject(new Error('the connection died'));
      }
      return query(...args);
    }) as typeof client.query;
    wrapped.release = (error) => client.release(error);
    return wrapped;
  }) as typeof pool.connect;
  return made;
}
