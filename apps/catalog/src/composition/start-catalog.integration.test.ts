import { shardOf } from '@tollgate/contracts';
import { DirectoryClient, LedgerClient, type Invalidation__Output } from '@tollgate/contracts/node';
import {
  callUnary,
  createGrpcClient,
  grpcChannel,
  grpcStatus,
  openStream,
  uuidv7,
} from '@tollgate/kit';
import { Client } from 'pg';

import { UsageRerate } from '../ledger/re-rating/usage-rerate.entity';
import { appendOutbox, pruneOutbox } from '../outbox';
import type { Database } from '../schema';
import {
  createTenant,
  entryOf,
  nextBatch,
  startTestCatalog,
  startTestDatabases,
  TOKENS,
  until,
  type Tenant,
  type TestDatabases,
} from '../test-support';

type TestCatalog = Awaited<ReturnType<typeof startTestCatalog>>;

let databases: TestDatabases;
let database: Database & { url: string };
let catalog: TestCatalog;
let tenant: Tenant;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  catalog = await startTestCatalog(database.url);
  tenant = await createTenant(database.orm);
});
afterAll(async () => {
  await catalog.stop();
  await databases.stop();
});

const DEADLINE_MS = 20_000;

function channel(
  caller: 'edge' | 'policy',
  token: string | undefined = TOKENS[caller],
  to = catalog,
) {
  return grpcChannel({ address: `127.0.0.1:${to.grpcPort}`, caller, token });
}

async function withDirectory<T>(
  caller: 'edge' | 'policy',
  work: (client: DirectoryClient) => Promise<T>,
): Promise<T> {
  const client = createGrpcClient(DirectoryClient, channel(caller));
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

const resolve = (keySha256: Buffer) =>
  withDirectory('policy', (client) =>
    callUnary(client, 'resolveKey', { keySha256 }, { deadlineMs: DEADLINE_MS }),
  );

test('a key is resolved over gRPC with service tokens', async () => {
  const reply = await resolve(tenant.keySha256);
  expect(reply).toMatchObject({
    found: true,
    context: { active: true, shard: shardOf(tenant.organisationId), timeZone: 'UTC' },
  });
});

test('no token and a token that may not call are refused', async () => {
  const ask = (caller: 'edge' | 'policy', token?: string) => {
    const client = createGrpcClient(DirectoryClient, channel(caller, token));
    return callUnary(
      client,
      'resolveKey',
      { keySha256: tenant.keySha256 },
      { deadlineMs: DEADLINE_MS },
    ).finally(() => client.close());
  };
  await expect(ask('policy', 'a token nobody has been given')).rejects.toMatchObject({
    code: grpcStatus.UNAUTHENTICATED,
  });
  await expect(ask('edge')).rejects.toMatchObject({ code: grpcStatus.PERMISSION_DENIED });
});

test('a connection that does not exist is NOT_FOUND, a malformed key INVALID_ARGUMENT', async () => {
  await expect(
    withDirectory('edge', (client) =>
      callUnary(
        client,
        'getConnection',
        { providerId: tenant.providerId, version: 99 },
        { deadlineMs: DEADLINE_MS },
      ),
    ),
  ).rejects.toMatchObject({ code: grpcStatus.NOT_FOUND });
  await expect(resolve(Buffer.alloc(3))).rejects.toMatchObject({
    code: grpcStatus.INVALID_ARGUMENT,
  });
});

test('entries are booked over gRPC, and the metrics move', async () => {
  const client = createGrpcClient(LedgerClient, channel('policy'));
  try {
    const batch = await nextBatch(database.pool, tenant, [entryOf(tenant)]);
    const reply = await callUnary(client, 'append', batch, { deadlineMs: DEADLINE_MS });
    expect(reply).toMatchObject({ committed: true, state: { lastSeq: batch.last } });
    await expect(
      callUnary(client, 'append', { ...batch, last: batch.last + 7 }, { deadlineMs: DEADLINE_MS }),
    ).rejects.toMatchObject({ code: grpcStatus.INVALID_ARGUMENT });
  } finally {
    client.close();
  }
  const text = await (await fetch(`${catalog.opsUrl}/metrics`)).text();
  expect((await fetch(`${catalog.url}/metrics`)).status).toBe(404);
  expect(text).toMatch(/tollgate_ledger_entries_total\{result="record",service="catalog"\} 1/);
  expect(text).toMatch(/tollgate_ledger_append_seconds_count\{.*result="committed".*\} 1/);
  expect(text).toContain('tollgate_ledger_lag_seconds');
  expect(text).toMatch(/tollgate_ledger_quarantine_open\{service="catalog"\} 0/);
  expect(text).toMatch(/tollgate_ledger_abandoned_open\{service="catalog"\} 0/);
});

test('a soft limit that is passed is noted over gRPC, once', async () => {
  const client = createGrpcClient(LedgerClient, channel('policy'));
  const passed = {
    organisationId: tenant.organisationId,
    limitId: tenant.organisationId,
    kind: 'BUDGET',
    metric: 'COST',
    scopeType: 'ORGANISATION',
    scopeId: tenant.organisationId,
    windowEndMs: 1_000,
    limit: '1',
    settled: '1',
    held: '1',
  };
  const report = (values = {}) =>
    callUnary(
      client,
      'reportSoftLimits',
      { passed: [{ ...passed, ...values }] },
      { deadlineMs: DEADLINE_MS },
    );
  try {
    expect(await report()).toEqual({ noted: 1 });
    expect(await report()).toEqual({ noted: 0 });
    await expect(report({ kind: 'WISH' })).rejects.toMatchObject({
      code: grpcStatus.INVALID_ARGUMENT,
    });
  } finally {
    client.close();
  }
});

test('a re-rating is worked off while the service runs', async () => {
  const id = uuidv7();
  await database.orm.manager.insert(UsageRerate, {
    id,
    organisationId: tenant.organisationId,
    startsAt: new Date(0),
    endsAt: new Date(),
    dryRun: false,
    reason: 'a test',
    createdBy: tenant.userId,
  });
  await until(
    async () => (await database.orm.manager.findOneBy(UsageRerate, { id }))?.status === 'DONE',
    'the re-rating',
  );
});

test('health says that the database answers', async () => {
  const response = await fetch(`${catalog.url}/api/health`);
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ ok: true });
});

describe('the stream of invalidations', () => {
  const say = (organisationId?: string) =>
    database.orm.transaction((tx) =>
      appendOutbox(tx, {
        kind: 'LIMIT',
        ...(organisationId ? { organisationId } : {}),
        limitIds: ['a'],
      }),
    );

  function watch(fromSeq: number, to = catalog) {
    const client = createGrpcClient(DirectoryClient, channel('policy', TOKENS.policy, to));
    const stream = openStream(client, 'watchInvalidations', { fromSeq });
    const heard: Invalidation__Output[] = [];
    let failure: { code?: number } | undefined;
    let ended = false;
    stream.on('data', (message: Invalidation__Output) => heard.push(message));
    stream.on('error', (error: { code?: number }) => {
      failure = error;
    });
    stream.on('end', () => {
      ended = true;
    });
    return {
      heard,
      news: () => heard.filter((message) => message.kind !== 'HEARTBEAT'),
      failure: () => failure,
      ended: () => ended,
      stop: () => {
        stream.cancel();
        client.close();
      },
    };
  }

  test('begins where it was asked to, tells of changes in order and keeps beating', async () => {
    const watcher = watch(0);
    await until(() => watcher.heard.length > 0, 'the first heartbeat');
    const from = watcher.heard[0]?.seq ?? -1;
    await Promise.all(Array.from({ length: 20 }, () => say(tenant.organisationId)));
    await until(() => watcher.news().length === 20, 'the news');
    const seqs = watcher.news().map((message) => message.seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    expect(watcher.news()[0]).toMatchObject({
      organisationId: tenant.organisationId,
      kind: 'LIMIT',
      limitIds: ['a'],
      shard: shardOf(tenant.organisationId),
    });
    const beats = watcher.heard.length;
    await until(() => watcher.heard.length > beats, 'another heartbeat');
    expect(watcher.heard.at(-1)).toMatchObject({ kind: 'HEARTBEAT', seq: seqs.at(-1) });
    watcher.stop();

    const later = watch(from + 5);
    await until(() => later.news().length === 15, 'the rest');
    later.stop();
  });

  test('is OUT_OF_RANGE for a position that was pruned, or never was', async () => {
    await say();
    await say();
    await pruneOutbox(database.pool, -1_000);
    for (const position of [1, 1_000_000]) {
      const watcher = watch(position);
      await until(() => watcher.failure() !== undefined, 'the refusal');
      expect(watcher.failure()?.code).toBe(grpcStatus.OUT_OF_RANGE);
      watcher.stop();
    }
  });

  test('goes on after the listening connection was lost', async () => {
    const watcher = watch(0);
    await until(() => watcher.heard.length > 0, 'the first heartbeat');
    const admin = new Client({ connectionString: database.url });
    await admin.connect();
    await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'tollgate-catalog-outbox' AND datname = current_database()`,
    );
    await admin.end();
    await say();
    await until(() => watcher.news().length > 0, 'the news');
    watcher.stop();
  });

  test('ends well when the service stops, and the service stops', async () => {
    const second = await startTestCatalog(database.url);
    const watcher = watch(0, second);
    await until(() => watcher.heard.length > 0, 'the first heartbeat');
    await second.stop();
    await until(() => watcher.ended(), 'the end');
    expect(watcher.failure()).toBeUndefined();
    watcher.stop();
  });
});

test('a change whose transaction commits late is not passed by a later one', async () => {
  const { first, second } = {
    first: database.orm.createQueryRunner(),
    second: database.orm.createQueryRunner(),
  };
  await first.startTransaction();
  await second.startTransaction();
  await appendOutbox(first, { kind: 'MODEL' });
  const waiting = appendOutbox(second, { kind: 'PRICE' }).then(() => second.commitTransaction());
  await until(async () => {
    const { rowCount } = await database.pool.query(
      `SELECT FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()`,
    );
    return rowCount === 1;
  }, 'the wait for the lock');
  await first.commitTransaction();
  await waiting;
  await Promise.all([first.release(), second.release()]);
  const { rows } = await database.pool.query<{ kind: string }>(
    'SELECT kind FROM outbox_event ORDER BY seq DESC LIMIT 2',
  );
  expect(rows.map((row) => row.kind)).toEqual(['PRICE', 'MODEL']);
});

test('the first super admin is made once, and signs in', async () => {
  const own = await databases.fresh();
  const environment = {
    BOOTSTRAP_ADMIN_EMAIL: 'Root@Example.test',
    BOOTSTRAP_ADMIN_PASSWORD: 'correct horse battery',
  };
  const both = await Promise.all([1, 2].map(() => startTestCatalog(own.url, environment)));
  const { rows } = await own.pool.query('SELECT email, role FROM user_account');
  expect(rows).toEqual([{ email: 'root@example.test', role: 'SUPER_ADMIN' }]);
  const response = await fetch(`${both[0]?.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'root@example.test', password: 'correct horse battery' }),
  });
  expect(response.status).toBe(200);
  expect(both.flatMap((one) => one.logs).join('\n')).not.toContain('correct horse');
  await Promise.all(both.map((one) => one.stop()));
});
