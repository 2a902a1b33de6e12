import {
  alertDestinationContext,
  exportSecretContext,
  keptBodyContext,
  mcpSecretContext,
  openBytes,
  openSecret,
  parseKeyRing,
  screeningSecretContext,
  sealBytes,
  sealSecret,
  secretContext,
} from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';

import type { Database } from '../schema';
import { rotateSecrets } from '../secrets/rotate';
import { replayContext, SEALED_STORES } from '../secrets/sealed-stores';
import { createTenant, startTestDatabases, type TestDatabases } from '../test-support';
import { rotateCommand } from './rotate-command';

const key = (fill: number) => Buffer.alloc(32, fill).toString('base64');
const OLD = parseKeyRing(`old:${key(1)}`);
const BOTH = parseKeyRing(`new:${key(2)},old:${key(1)}`);
const NEW = parseKeyRing(`new:${key(2)}`);
const PROVIDER_KEYS = 7;

/** Content of a kept body is compressed, so it is no text. */
const PACKED = Buffer.from([0x00, 0xff, 0xfe, 0x80, 0xc3]);
const KEPT = SEALED_STORES.find(({ table }) => table === 'kept_body');

let databases: TestDatabases;
let database: Database & { url: string };
beforeAll(async () => {
  databases = await startTestDatabases();
});
afterAll(() => databases.stop());

beforeEach(async () => {
  database = await databases.fresh();
  const { orm, pool } = database;
  const { organisationId, providerId, userId } = await createTenant(orm);
  await pool.query('DELETE FROM provider_api_key');
  for (let n = 0; n < PROVIDER_KEYS; n += 1) {
    const id = uuidv7();
    const sealed = sealSecret(OLD, `secret ${n}`, secretContext(providerId, id));
    await pool.query(
      `INSERT INTO provider_api_key (id, organisation_id, provider_id, name, key_id, nonce, ciphertext, tag, preview)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, '…')`,
      [id, organisationId, providerId, `k${n}`, ...columnsOf(sealed)],
    );
  }
  const mcpId = uuidv7();
  await pool.query(
    `INSERT INTO mcp_server (id, organisation_id, identifier, name, transport, url, secret_key_id,
       secret_nonce, secret_ciphertext, secret_tag)
     VALUES ($1, $2, 'tools', 'Tools', 'SSE', 'https://x.example', $3, $4, $5, $6),
       ($7, $2, 'open', 'Open', 'SSE', 'https://x.example', NULL, NULL, NULL, NULL)`,
    [
      mcpId,
      organisationId,
      ...columnsOf(sealSecret(OLD, 'tool', mcpSecretContext(mcpId))),
      uuidv7(),
    ],
  );
  const serviceId = uuidv7();
  await pool.query(
    `INSERT INTO screening_service (id, organisation_id, identifier, name, url, protocol, auth,
       secret_key_id, secret_nonce, secret_ciphertext, secret_tag)
     VALUES ($1, $2, 'checker', 'Checker', 'https://x.example', '{}', '{}', $3, $4, $5, $6)`,
    [
      serviceId,
      organisationId,
      ...columnsOf(sealSecret(OLD, 'checker', screeningSecretContext(serviceId))),
    ],
  );
  const exportId = uuidv7();
  await pool.query(
    `INSERT INTO export_destination (id, name, target, records, max_rows, interval_seconds,
       next_attempt_at, secret_key_id, secret_nonce, secret_ciphertext, secret_tag)
     VALUES ($1, 'Warehouse', '{}', '{}', 1, 1, now(), $2, $3, $4, $5)`,
    [exportId, ...columnsOf(sealSecret(OLD, 'whsec', exportSecretContext(exportId)))],
  );
  const destinationId = uuidv7();
  await pool.query(
    `INSERT INTO alert_destination (id, organisation_id, name, kind, url, secret_key_id,
       secret_nonce, secret_ciphertext, secret_tag)
     VALUES ($1, $2, 'hook', 'WEBHOOK', 'https://x.example', $3, $4, $5, $6)`,
    [
      destinationId,
      organisationId,
      ...columnsOf(sealSecret(OLD, 'whsec', alertDestinationContext(destinationId))),
    ],
  );
  await pool.query(
    `INSERT INTO idempotency_key (user_id, key, method, path, request_sha256, status, response, expires_at)
     VALUES ($1, 'k/1', 'POST', '/x', '', 201, $2, now() + interval '1 day'),
       ($1, 'k/2', 'POST', '/x', '', 201, '{"id": "plain"}', now() + interval '1 day')`,
    [userId, jsonOf(sealSecret(OLD, '{"key":"tg_x"}', replayContext(userId, 'k/1')))],
  );
  const bodyId = uuidv7();
  await pool.query(
    `INSERT INTO kept_body (id, organisation_id, at, request_kept, answer_kept, answer_partial, masked,
       secret_key_id, secret_nonce, secret_ciphertext, secret_tag)
     VALUES ($1, $2, now(), true, true, false, '[]', $3, $4, $5, $6),
       ($7, $2, now(), false, false, false, '[]', NULL, NULL, NULL, NULL)`,
    [
      bodyId,
      organisationId,
      ...columnsOf(sealBytes(OLD, PACKED, keptBodyContext(bodyId))),
      uuidv7(),
    ],
  );
  const mailId = uuidv7();
  await pool.query(
    `INSERT INTO mail_outbox (id, kind, recipient, sealed, next_attempt_at, expires_at)
     VALUES ($1, 'PASSWORD_RESET', 'a@example.com', $2, now(), now())`,
    [mailId, jsonOf(sealSecret(OLD, 'letter', `mail:${mailId}`))],
  );
});

type Sealed = ReturnType<typeof sealSecret>;
const columnsOf = ({ keyId, nonce, ciphertext, tag }: Sealed) => [keyId, nonce, ciphertext, tag];
const jsonOf = ({ keyId, nonce, ciphertext, tag }: Sealed) =>
  JSON.stringify({
    keyId,
    nonce: nonce.toString('base64'),
    ciphertext: ciphertext.toString('base64'),
    tag: tag.toString('base64'),
  });

/** Every secret, opened with a ring, and the ids of the keys that seal them. */
async function everything(ring: typeof OLD): Promise<{ texts: string[]; keyIds: string[] }> {
  const rows = [];
  for (const store of SEALED_STORES) {
    rows.push(
      ...(await database.pool.query(store.select, [store.start, 1000, null])).rows.map(store.read),
    );
  }
  const texts = rows.map(({ sealed, context }) => openSecret(ring, sealed, context));
  return { texts: texts.toSorted(), keyIds: rows.map(({ sealed }) => sealed.keyId) };
}

const TEXTS = [
  PACKED.toString(),
  ...Array.from({ length: PROVIDER_KEYS }, (_, n) => `secret ${n}`),
  'letter',
  'tool',
  'checker',
  'whsec',
  'whsec',
  '{"key":"tg_x"}',
].toSorted();

test('every secret of every table is sealed anew, and the old key is not needed any more', async () => {
  const report = await rotateSecrets(database.pool, BOTH, { batchSize: 3 });
  expect(report).toMatchObject({
    ok: true,
    keyId: 'new',
    stores: [
      { table: 'provider_api_key', rotated: PROVIDER_KEYS, current: PROVIDER_KEYS, remaining: {} },
      { table: 'mcp_server', rotated: 1, current: 1 },
      { table: 'screening_service', rotated: 1, current: 1 },
      { table: 'export_destination', rotated: 1, current: 1 },
      { table: 'alert_destination', rotated: 1, current: 1 },
      { table: 'idempotency_key', rotated: 1, current: 1 },
      { table: 'mail_outbox', rotated: 1, current: 1 },
      { table: 'kept_body', rotated: 1, current: 1 },
    ],
  });
  expect((await everything(NEW)).texts).toEqual(TEXTS);
  const [body] = (await database.pool.query(KEPT?.select ?? '', [KEPT?.start, 1, null])).rows.map(
    (row) => KEPT?.read(row),
  );
  if (!body) throw new Error('no kept body');
  expect(openBytes(NEW, body.sealed, body.context).equals(PACKED)).toBe(true);
  const again = await rotateSecrets(database.pool, BOTH);
  expect(again.ok).toBe(true);
  expect(again.stores.map(({ rotated }) => rotated)).toEqual(again.stores.map(() => 0));
});

test.each(SEALED_STORES.filter(({ start }) => start !== ''))(
  'rows of $table are read by their primary key, without a sort',
  async ({ select, start }) => {
    const tx = await database.pool.connect();
    try {
      // Whichever plan the size of the table would suggest.
      await tx.query('BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off');
      const { rows } = await tx.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${select} FOR UPDATE`, [
        start,
        200,
        'new',
      ]);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(/Index Cond: \(id > /);
      expect(plan).not.toContain('Sort');
    } finally {
      await tx.query('ROLLBACK');
      tx.release();
    }
  },
);

test('a run whose connection is killed in a batch loses nothing and is taken up again', async () => {
  let batches = 0;
  const killed = rotateSecrets(database.pool, BOTH, {
    batchSize: 3,
    onBatch: async (tx) => {
      batches += 1;
      if (batches === 2) await tx.query('SELECT pg_terminate_backend(pg_backend_pid())');
    },
  });
  await expect(killed).rejects.toThrow();
  // The first batch has the new key and the second was rolled back: all secrets open.
  const half = await everything(BOTH);
  expect(half.texts).toEqual(TEXTS);
  expect(half.keyIds.filter((id) => id === 'new')).toHaveLength(3);
  const report = await rotateSecrets(database.pool, BOTH, { batchSize: 3 });
  expect(report.ok).toBe(true);
  expect(report.stores[0]?.rotated).toBe(PROVIDER_KEYS - 3);
  expect((await everything(NEW)).texts).toEqual(TEXTS);
});

test('a dry run counts and changes nothing; two at once are not let', async () => {
  const report = await rotateSecrets(database.pool, BOTH, { dryRun: true });
  expect(report).toMatchObject({
    ok: false,
    stores: [
      { rotated: 0, remaining: { old: PROVIDER_KEYS }, unreadable: [] },
      {},
      {},
      {},
      {},
      {},
      {},
      {},
    ],
  });
  expect(new Set((await everything(OLD)).keyIds)).toEqual(new Set(['old']));
  let second: unknown;
  await rotateSecrets(database.pool, BOTH, {
    onBatch: async () => {
      second ??= await rotateSecrets(database.pool, BOTH).catch(String);
    },
  });
  expect(second).toMatch('another key rotation is running');
});

test('what no key of the ring opens is told by its id, left alone, and the rest goes on', async () => {
  const { rows } = await database.pool.query<{ id: string }>(
    `UPDATE provider_api_key SET key_id = 'lost' WHERE name = 'k0' RETURNING id`,
  );
  const report = await rotateSecrets(database.pool, BOTH, { batchSize: 2 });
  expect(report).toMatchObject({
    ok: false,
    stores: [
      { rotated: PROVIDER_KEYS - 1, remaining: { lost: 1 }, unreadable: [rows[0]?.id] },
      {},
      {},
      {},
      {},
      {},
      {},
      {},
    ],
  });
});

test('the command writes a report and an audit event, and no secret', async () => {
  const lines: string[] = [];
  const run = (words: string[], keys = `new:${key(2)},old:${key(1)}`) =>
    rotateCommand(words, { DATABASE_URL: database.url, KEY_ENCRYPTION_KEYS: keys }, (line) =>
      lines.push(line),
    );
  expect(await run(['--dry-run'])).toBe(1);
  expect(await run([])).toBe(0);
  expect(await run(['--batch-size', '0'])).toBe(2);
  expect(await run(['--what'])).toBe(2);
  expect(await run([], 'nonsense')).toBe(2);
  expect(lines.join('')).not.toMatch(/secret \d|AgICAg|AQEBAQ/);
  const { rows } = await database.pool.query(
    `SELECT actor_kind, details FROM audit_event WHERE action = 'keys.rotate'`,
  );
  expect(rows).toMatchObject([
    { actor_kind: 'SYSTEM', details: { after: { keyEncryptionKeyId: 'new' } } },
  ]);
});
