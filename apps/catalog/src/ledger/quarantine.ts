import { uuidv7 } from '@tollgate/kit';
import type { AppendRequest__Output, Entry__Output } from '@tollgate/contracts/node';
import type { Pool, PoolClient } from 'pg';
import { inTransaction } from '../db';
import { appendOutbox } from '../outbox';
import { book } from './book';
import { isUuid, parseEntry, type Dimensions } from './entry';
import { limitsOf } from './limits';
import { lockShard } from './shards';
import { insertStatement } from './unnest';

type Aside = {
  shard: number;
  epoch: number;
  seq: number;
  entry: string | null;
  raw: Buffer | null;
};

/**
 * Sets entries aside that cannot be booked. Answers the limits whose counters were charged for them,
 * by their close or, while they were in the stream, by a seed: the books know nothing of that, so the
 * counters forget it.
 */
export async function quarantine(
  tx: PoolClient,
  request: AppendRequest__Output,
): Promise<Set<string>> {
  const { shard, epoch, prev } = request;
  const reason = request.quarantineReason.replaceAll('\0', '') || 'not said';
  const entries = request.entries.map((entry): Aside => {
    const json = JSON.stringify({ ...entry, settle: { ...entry.settle, holdToken: undefined } });
    // JSON in the database holds neither NUL nor half a surrogate pair; bytes hold anything.
    const storable = !/\\u(?:0000|d[89a-f])/i.test(json);
    return {
      shard,
      epoch,
      seq: entry.seq,
      entry: storable ? json : null,
      raw: storable ? null : Buffer.from(json, 'utf8'),
    };
  });
  const raws = request.raw.map((raw, index): Aside => ({
    shard,
    epoch,
    seq: prev + 1 + entries.length + index,
    entry: null,
    raw,
  }));
  await tx.query(asideRows([...entries, ...raws].map((aside) => ({ ...aside, reason }))));
  const touched = request.entries.flatMap((entry) => entry.touched.map((limit) => limit.limitId));
  const matching = await limitsOf(tx, request.entries.flatMap(readableDimensions));
  return new Set([...touched.filter(isUuid), ...matching.map((limit) => limit.limitId)]);
}

// Whatever else is wrong with an entry, its ids may be right.
function readableDimensions({ subject, modelId, settle }: Entry__Output): Dimensions[] {
  const { organisationId = '', teamId = '', userId = '', apiKeyId = '' } = subject ?? {};
  if (!isUuid(organisationId)) return [];
  const orNull = (id: string): string | null => (isUuid(id) ? id : null);
  return [
    {
      organisationId,
      teamId: orNull(teamId),
      userId: orNull(userId),
      apiKeyId: isUuid(apiKeyId) ? apiKeyId : organisationId,
      modelId: orNull(settle?.modelId || modelId),
      providerId: null,
    },
  ];
}

const asideRows = insertStatement<Aside & { reason: string }>(
  'ledger-quarantine',
  'ledger_quarantine',
  [
    ['id', 'uuid', () => uuidv7()],
    ['shard', 'smallint', (row) => row.shard],
    ['epoch', 'bigint', (row) => row.epoch],
    ['seq', 'bigint', (row) => row.seq],
    ['entry', 'jsonb', (row) => row.entry],
    ['raw', 'bytea', (row) => (row.raw === null ? null : `\\x${row.raw.toString('hex')}`)],
    ['reason', 'text', (row) => row.reason],
  ],
);

/**
 * Books an entry that was set aside, after what was in its way has been cured. Throws what is still
 * wrong with it; answers false when it is not, or no longer, in quarantine.
 */
export function bookQuarantined(
  pool: Pool,
  id: string,
  resolvedBy: string | null,
): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<{
      shard: number;
      entry: Entry__Output | null;
      raw: Buffer | null;
    }>(
      `SELECT shard, entry, raw FROM ledger_quarantine WHERE id = $1 AND status = 'OPEN' FOR UPDATE`,
      [id],
    );
    const [row] = rows;
    if (row === undefined) return false;
    const wire = row.entry ?? (JSON.parse(row.raw?.toString('utf8') ?? 'null') as Entry__Output);
    await lockShard(tx, row.shard);
    const entry = parseEntry(wire);
    // The counters were made to forget this entry when it was set aside.
    const { forget } = await book(tx, row.shard, [{ ...entry, touched: [] }]);
    await tx.query(
      `UPDATE ledger_quarantine SET status = 'BOOKED', resolved_at = now(), resolved_by = $2
       WHERE id = $1`,
      [id, resolvedBy],
    );
    const raised = await tx.query<{ rev: bigint }>(
      'UPDATE ledger_shard SET rev = rev + 1, updated_at = now() WHERE id = $1 RETURNING rev',
      [row.shard],
    );
    await appendOutbox(tx, {
      organisationId: entry.dimensions.organisationId,
      kind: 'LEDGER',
      limitIds: [...forget],
      rev: raised.rows[0]?.rev ?? 0n,
    });
    return true;
  });
}
