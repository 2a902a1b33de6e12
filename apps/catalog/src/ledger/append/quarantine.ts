import { limitIdOf } from '@tollgate/contracts';
import type { AppendRequest__Output, Entry__Output } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';

import type { Tx } from '../../db';
import { insertStatement } from '../records/column-arrays';
import type { Dimensions } from '../records/entry';
import { isUuid } from '../records/entry-values';
import { findMatchingLimits } from '../windows/matching-limits';

interface QuarantinedRow {
  shard: number;
  epoch: number;
  seq: number;
  entry: string | null;
  raw: Buffer | null;
}

/**
 * Sets entries aside that cannot be booked. Returns the limits whose counters were charged for
 * them, by the close of the request or by a seed that read the stream. The books do not contain
 * these charges, so the counters must forget them.
 */
export async function quarantine(tx: Tx, request: AppendRequest__Output): Promise<Set<string>> {
  const { shard, epoch, prev } = request;
  const reason = request.quarantineReason.replaceAll('\0', '') || 'not said';
  const entries = request.entries.map((entry): QuarantinedRow => {
    const json = JSON.stringify({ ...entry, settle: { ...entry.settle, holdToken: undefined } });
    // jsonb stores neither NUL nor unpaired surrogates; bytea stores any bytes.
    const storable = !/\\u(?:0000|d[89a-f])/i.test(json);
    return {
      shard,
      epoch,
      seq: entry.seq,
      entry: storable ? json : null,
      raw: storable ? null : Buffer.from(json, 'utf8'),
    };
  });
  const raws = request.raw.map((raw, index): QuarantinedRow => ({
    shard,
    epoch,
    seq: prev + 1 + entries.length + index,
    entry: null,
    raw,
  }));
  await tx.query(insertQuarantined([...entries, ...raws].map((row) => ({ ...row, reason }))));
  const touched = request.entries.flatMap((entry) => entry.touched.map((limit) => limit.limitId));
  const matching = await findMatchingLimits(tx, request.entries.flatMap(readableDimensions));
  return new Set([
    ...touched.filter((id) => isUuid(limitIdOf(id))),
    ...matching.map((limit) => limit.limitId),
  ]);
}

// The ids may be valid even when the rest of the entry is not.
function readableDimensions({ subject, modelId, settle, mcp }: Entry__Output): Dimensions[] {
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
      mcpServerId: orNull(mcp?.serverId ?? ''),
    },
  ];
}

const insertQuarantined = insertStatement<QuarantinedRow & { reason: string }>(
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
