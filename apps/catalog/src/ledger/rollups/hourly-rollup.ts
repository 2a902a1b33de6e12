import { hash } from 'node:crypto';

import type { Tx } from '../../db';
import { AMOUNT_COLUMNS } from '../records/amounts';
import { insertStatement, type InsertColumn } from '../records/column-arrays';
import { COUNTED_STATUSES, sumByKey, type End, type Group } from './booking-groups';

const endColumn = (end: End): string => end.toLowerCase();

interface Rollup {
  id: string;
  group: Group;
}

const SUM_COLUMNS: readonly InsertColumn<Rollup>[] = [
  ...AMOUNT_COLUMNS.map((column): InsertColumn<Rollup> => [
    column,
    'bigint',
    ({ group }) => group.amounts[column],
  ]),
  ...COUNTED_STATUSES.map((end, at): InsertColumn<Rollup> => [
    endColumn(end),
    'bigint',
    ({ group }) => group.ends[at] ?? 0,
  ]),
  ['latency_ms', 'bigint', ({ group }) => group.latencyMs],
  ['latency_count', 'bigint', ({ group }) => group.latencyCount],
];

const upsert = insertStatement<Rollup>(
  'ledger-upsert-usage',
  'usage',
  [
    ['id', 'uuid', ({ id }) => id],
    ['organisation_id', 'uuid', ({ group }) => group.dimensions.organisationId],
    ['team_id', 'uuid', ({ group }) => group.dimensions.teamId],
    ['user_id', 'uuid', ({ group }) => group.dimensions.userId],
    ['api_key_id', 'uuid', ({ group }) => group.dimensions.apiKeyId],
    ['model_id', 'uuid', ({ group }) => group.dimensions.modelId],
    ['provider_id', 'uuid', ({ group }) => group.dimensions.providerId],
    ['mcp_server_id', 'uuid', ({ group }) => group.dimensions.mcpServerId],
    ['hour', 'timestamptz', ({ group }) => `${group.hour}Z`],
    ...SUM_COLUMNS,
  ],
  `ON CONFLICT (id) DO UPDATE SET updated_at = now(), ${SUM_COLUMNS.map(
    ([name]) => `${name} = usage.${name} + excluded.${name}`,
  ).join(', ')}`,
);

/**
 * Adds sums of bookings to the hourly rollup, each row once. The caller holds the shard's row lock,
 * so nobody else updates rows of its organisations.
 */
export async function addToRollups(tx: Tx, groups: readonly Group[]): Promise<void> {
  if (groups.length === 0) return;
  const rows = [...sumByKey(groups, keyOf)];
  await tx.query(upsert(rows.map(([key, group]) => ({ id: uuidOf(key), group }))));
}

function keyOf({ dimensions, hourMs }: Group): string {
  const { organisationId, teamId, userId, apiKeyId, modelId, providerId, mcpServerId } = dimensions;
  const key = [organisationId, teamId, userId, apiKeyId, modelId, providerId, hourMs].join('/');
  return mcpServerId === null ? key : `${key}/${mcpServerId}`;
}

const VARIANTS = '89ab';

/** A name-based UUID (version 8): the same key gives the same row. */
function uuidOf(key: string): string {
  const hex = hash('sha256', key);
  const variant = VARIANTS[Number.parseInt(hex.charAt(16), 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
