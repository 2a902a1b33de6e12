import { hash } from 'node:crypto';

import type { Tx } from '../../db';
import { AMOUNT_COLUMNS } from '../records/amounts';
import { columnSource, type InsertColumn } from '../records/column-arrays';
import { detailKey, sumByKey, type Group } from './booking-groups';
import { GRAINS, PERIOD_COUNTS, type Grain } from './period-sql';

/**
 * Usage and latency by hour, day and month: the source of charts, breakdowns and invoices. Days and
 * months are dates of the organisation's calendar when the request was authorised, so each booking
 * counts in exactly one of each even if the time zone changes later.
 */

/** A row to add to: the number of its grain, and the number of the sum that is added. */
interface Addition {
  id: string;
  grain: number;
  place: number;
}

const ADDITION_COLUMNS: readonly InsertColumn<Addition>[] = [
  ['id', 'uuid', (addition) => addition.id],
  ['grain', 'integer', (addition) => addition.grain],
  ['place', 'integer', (addition) => addition.place],
];

interface Placed {
  place: number;
  group: Group;
}

const OWNER_COLUMNS: readonly InsertColumn<Placed>[] = [
  ['team_id', 'uuid', ({ group }) => group.dimensions.teamId],
  ['user_id', 'uuid', ({ group }) => group.dimensions.userId],
  // Sums over all owners have no key, which is the empty id here.
  ['api_key_id', 'uuid', ({ group }) => group.dimensions.apiKeyId || null],
];
const SERVED_COLUMNS: readonly InsertColumn<Placed>[] = [
  ['model_id', 'uuid', ({ group }) => group.dimensions.modelId],
  ['provider_id', 'uuid', ({ group }) => group.dimensions.providerId],
  ['mcp_server_id', 'uuid', ({ group }) => group.dimensions.mcpServerId],
];
const DETAIL_COLUMNS: readonly InsertColumn<Placed>[] = [
  ['operation', 'text', ({ group }) => group.operation],
  ['status', 'text', ({ group }) => group.status],
];
const SUM_COLUMNS: readonly InsertColumn<Placed>[] = [
  ...AMOUNT_COLUMNS.map((column): InsertColumn<Placed> => [
    column,
    'bigint',
    ({ group }) => group.amounts[column],
  ]),
  ['latency_ms', 'bigint', ({ group }) => group.latencyMs],
  ['latency_count', 'bigint', ({ group }) => group.latencyCount],
  ['first_token_ms', 'bigint', ({ group }) => group.firstTokenMs],
  ['first_token_count', 'bigint', ({ group }) => group.firstTokenCount],
  ...PERIOD_COUNTS.map((name, at): InsertColumn<Placed> => [
    name,
    'integer',
    ({ group }) => group.counts[at] ?? 0,
  ]),
];

const additions = columnSource('a', ADDITION_COLUMNS);
const sums = columnSource<Placed>(
  's',
  [
    ['place', 'integer', ({ place }) => place],
    ['organisation_id', 'uuid', ({ group }) => group.dimensions.organisationId],
    ['hour', 'timestamp', ({ group }) => group.hour],
    ['day', 'timestamp', ({ group }) => group.date],
    ...OWNER_COLUMNS,
    ...SERVED_COLUMNS,
    ...DETAIL_COLUMNS,
    ...SUM_COLUMNS,
  ],
  1 + additions.parameters,
);

/** SQL: whether a row is of a grain that matches. */
function isGrain(of: (grain: Grain) => boolean): string {
  const places = GRAINS.flatMap((grain, at) => (of(grain) ? [at + 1] : []));
  return `${additions.value('grain')} IN (${places.join(', ')})`;
}

const kept = (columns: readonly InsertColumn<Placed>[], when: string, otherwise = ''): string[] =>
  columns.map(([name]) => `CASE WHEN ${when} THEN ${sums.value(name)} ${otherwise} END`);

/**
 * The sums of a group are sent once for all the rows that they are added to; each row leaves out
 * the columns that its grain is not keyed by.
 */
const UPSERT = `INSERT INTO usage_period (id, period, starts, owners, organisation_id, ${[
  ...OWNER_COLUMNS,
  ...SERVED_COLUMNS,
  ...DETAIL_COLUMNS,
  ...SUM_COLUMNS,
]
  .map(([name]) => name)
  .join(', ')})
  SELECT ${[
    additions.value('id'),
    `('{${GRAINS.map(({ period }) => period).join(', ')}}'::text[])[${additions.value('grain')}]`,
    `CASE WHEN ${isGrain(({ unit }) => unit === 'hour')} THEN ${sums.value('hour')}
      WHEN ${isGrain(({ unit }) => unit === 'day')} THEN ${sums.value('day')}
      ELSE date_trunc('month', ${sums.value('day')}) END`,
    isGrain(({ owners }) => owners),
    sums.value('organisation_id'),
    ...kept(
      OWNER_COLUMNS,
      isGrain(({ owners }) => owners),
    ),
    ...kept(
      SERVED_COLUMNS,
      isGrain(({ detail }) => detail),
    ),
    ...kept(
      DETAIL_COLUMNS,
      isGrain(({ detail }) => detail),
      `ELSE ''`,
    ),
    ...SUM_COLUMNS.map(([name]) => sums.value(name)),
  ].join(', ')}
  FROM ${additions.from} JOIN ${sums.from} ON ${sums.value('place')} = ${additions.value('place')}
  ON CONFLICT (id) DO UPDATE SET ${SUM_COLUMNS.map(
    ([name]) => `${name} = usage_period.${name} + excluded.${name}`,
  ).join(', ')}`;

/**
 * Adds sums of bookings to the rows of their periods, each row once. The caller holds the shard's
 * row lock, so nobody else updates rows of its organisations.
 */
export async function addToPeriods(tx: Tx, groups: readonly Group[]): Promise<void> {
  if (groups.length === 0) return;
  // Grains without owners are summed once. Their number does not grow with the number of owners.
  const wholes = [...sumByKey(groups.map(whole), wholeKey).values()];
  const places = new Map<Group, number>();
  const rows: Addition[] = [];
  for (const [at, grain] of GRAINS.entries()) {
    const sources = grain.owners ? groups : wholes;
    for (const [key, group] of sumByKey(sources, (source) => keyOf(source, grain))) {
      let place = places.get(group);
      if (place === undefined) places.set(group, (place = places.size + 1));
      rows.push({ id: uuidOf(key), grain: at + 1, place });
    }
  }
  const placed = [...places].map(([group, place]) => ({ place, group }));
  await tx.query({
    name: 'ledger-upsert-periods',
    text: UPSERT,
    values: [...additions.values(rows), ...sums.values(placed)],
  });
}

const NOBODY = { teamId: null, userId: null, apiKeyId: '' } as const;
const NOTHING_SERVED = { modelId: null, providerId: null, mcpServerId: null } as const;

const whole = (group: Group): Group => ({
  ...group,
  dimensions: { ...group.dimensions, ...NOBODY },
});
const wholeKey = (group: Group): string => `${group.hour}/${group.date}/${detailKey(group)}`;

/** The key of a row. Where the grain is not keyed by owner, `group` names no owner. */
function keyOf(group: Group, { period, unit, owners, detail }: Grain): string {
  const served = detail
    ? group
    : {
        dimensions: { ...group.dimensions, ...NOTHING_SERVED },
        operation: '',
        status: '' as const,
      };
  return `${period}/${startOf(unit, group)}/${owners}/${detailKey(served)}`;
}

/** `2026-11-22T00:00`: an hour in UTC, a day or month in the organisation's calendar. */
function startOf(unit: Grain['unit'], { hour, date }: Group): string {
  if (unit === 'hour') return hour;
  return unit === 'day' ? `${date}T00:00` : `${date.slice(0, 7)}-01T00:00`;
}

/** Must match `idOf` in period-sql.ts, which rebuilds the table. */
function uuidOf(key: string): string {
  const hex = hash('md5', key);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
