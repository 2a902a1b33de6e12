import { rest, shardOf } from '@tollgate/contracts';

import {
  bookRecord,
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import { startTestDatabases, type TestDatabases } from '../../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let lastSeq = 0;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

/** Books a record as the ledger does: record and position of the shard in one transaction. */
async function book(of: Tenant, agoMs = 0): Promise<string> {
  lastSeq += 1;
  const seq = lastSeq;
  return database.orm.transaction(async (tx) => {
    const id = await bookRecord(tx.connection, of, Date.now() - agoMs);
    const shard = shardOf(of.organisationId);
    await tx.query('UPDATE usage_record SET shard = $2, seq = $3 WHERE id = $1', [id, shard, seq]);
    await tx.query('UPDATE ledger_shard SET last_seq = $2 WHERE id = $1', [shard, seq]);
    return id;
  });
}

interface Watched {
  /** The next message with records. */
  readonly next: () => Promise<rest.LiveRecords>;
  readonly stop: () => void;
}

async function watch(query: Record<string, string> = {}, role: 'ORG_ADMIN' | 'USER' = 'ORG_ADMIN') {
  const path = rest.fillPath(rest.watchUsageRecords.path, {
    organisationId: tenant.organisationId,
  });
  const asked = new AbortController();
  const response = await fetch(`${server.url}${path}?${new URLSearchParams(query).toString()}`, {
    headers: { authorization: `Bearer ${tenant.callers[role]?.token ?? ''}` },
    signal: asked.signal,
  });
  expect(response.status).toBe(200);
  const pieces = response.body?.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  let text = '';
  const watched: Watched = {
    next: async () => {
      for (;;) {
        const found = /event: records\ndata: (.*)\n\n/.exec(text);
        if (found !== null) {
          text = text.slice(found.index + found[0].length);
          return rest.liveRecords.parse(JSON.parse(found[1] ?? ''));
        }
        const piece = await pieces?.next();
        if (piece === undefined || piece.done === true) throw new Error(`it ended: ${text}`);
        text += piece.value;
      }
    },
    stop: () => asked.abort(),
  };
  return watched;
}

const idsOf = ({ data }: rest.LiveRecords): string[] => data.map(({ id }) => id);

test('the newest records come first, then each new one once, in the shape of the list', async () => {
  const old = await book(tenant, 60_000);
  const watched = await watch();
  const first = await watched.next();
  expect(idsOf(first)).toEqual([old]);
  const made = [await book(tenant)];
  const seen: string[] = [];
  while (!seen.includes(made[0] ?? '')) seen.unshift(...idsOf(await watched.next()));
  made.push(await book(tenant, 120_000), await book(tenant));
  while (made.some((id) => !seen.includes(id))) seen.unshift(...idsOf(await watched.next()));
  expect(seen.toSorted()).toEqual(made.toSorted());
  watched.stop();
  const params = { organisationId: tenant.organisationId };
  const { data } = await server.ok(tenant.callers.ORG_ADMIN, rest.listUsageRecords, { params });
  expect(data.find(({ id }) => id === old)).toEqual(first.data[0]);
});

test('after a position only what was booked later comes', async () => {
  const before = await watch();
  const { position } = await before.next();
  before.stop();
  const made = await book(tenant, 30_000);
  const watched = await watch({ after: position });
  const next = await watched.next();
  expect(idsOf(next)).toEqual([made]);
  expect(BigInt(next.position)).toBeGreaterThan(BigInt(position));
  watched.stop();
});

test('a position that the books have not reached begins anew, as after a restore', async () => {
  const watched = await watch({ after: '900000000000000000' });
  expect((await watched.next()).data.length).toBeGreaterThan(0);
  watched.stop();
});

test('filters and reach are those of the list', async () => {
  const failed = await watch({ httpStatus: '503' });
  expect(idsOf(await failed.next())).toEqual([]);
  failed.stop();
  const other = await createTenant(server, 'other');
  const foreign = await book(other);
  const own = await book(tenant);
  const watched = await watch({}, 'USER');
  const ids = idsOf(await watched.next());
  expect(ids).toContain(own);
  expect(ids).not.toContain(foreign);
  watched.stop();
});

test('more than one message holds is told', async () => {
  const before = await watch();
  const { position } = await before.next();
  before.stop();
  for (let n = 0; n <= rest.LIVE_ROWS; n += 1) await book(tenant);
  const watched = await watch({ after: position });
  const next = await watched.next();
  expect(next.data).toHaveLength(rest.LIVE_ROWS);
  expect(next.more).toBe(true);
  watched.stop();
});
