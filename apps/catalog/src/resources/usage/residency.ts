import { formatUsd, NO_REGION, rest, UNKNOWN_REGION } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

import { Organisation } from '../../entities/organisation.entity';
import type { UsageRecord } from '../../ledger/records/usage-record.entity';
import { UsageRemoved } from '../../ledger/retention/usage-removed.entity';
import { withinReach } from '../../rest/access';
import type { Access, Call } from '../../rest/call';
import { csvLine, type CsvCell } from '../../rest/csv';
import { download } from '../../rest/download';
import { exportSpan } from '../../rest/export-span';
import { invalid } from '../../rest/field-errors';
import { matchingRecords, type RecordFilter } from './record-filters';
import { pageOfRecords } from './usage-records';

/** Whether requests stayed in regions, as their records say. */

interface Asked {
  readonly db: EntityManager;
  readonly organisationId: string;
  readonly access: Access;
  readonly regions: readonly string[];
  readonly filter: RecordFilter & { readonly from: string; readonly to: string };
}

/** Most texts of regions that a report counts; an organisation has few. */
const COUNTS_MOST = 1_000;
const NOT_INSIDE: ReadonlySet<rest.ResidencyVerdict> = new Set([
  'OUTSIDE',
  'UNKNOWN',
  'NOT_RECORDED',
]);

export async function report(
  call: Call<typeof rest.getResidencyReport>,
): Promise<rest.ResidencyReport> {
  return reportOf(await askedOf(call));
}

type Query = z.output<typeof rest.getResidencyReport.query>;
type Asking = Pick<Call, 'db' | 'organisation' | 'access' | 'nowMs'> & { readonly query: Query };

async function askedOf({ db, organisation, access, nowMs, query }: Asking): Promise<Asked> {
  const { regions, ...filter } = query;
  const { from, to } = exportSpan(query, rest.RESIDENCY_DAYS, nowMs);
  const within =
    regions?.split(',') ??
    (await db.findOneByOrFail(Organisation, { id: organisation.id })).allowedRegions;
  return {
    db,
    organisationId: organisation.id,
    access,
    regions: [...new Set(within)].toSorted(),
    filter: { ...filter, from, to },
  };
}

async function reportOf(asked: Asked): Promise<rest.ResidencyReport> {
  const page = await pageNotInside(asked, { cursor: undefined, limit: rest.RESIDENCY_RECORDS });
  return {
    ...(await summaryOf(asked)),
    records: page.rows.map((row) => representRecord(row, asked.regions)),
    moreRecords: page.nextCursor !== null,
  };
}

type Summary = Omit<rest.ResidencyReport, 'records' | 'moreRecords'>;

async function summaryOf(asked: Asked): Promise<Summary> {
  const { db, organisationId, regions, filter } = asked;
  const counts = await countsOf(asked);
  const totals = Object.fromEntries(
    rest.RESIDENCY_VERDICTS.map((verdict) => [
      verdict,
      counts.reduce((sum, one) => sum + (one.verdict === verdict ? one.requests : 0), 0),
    ]),
  ) as rest.ResidencyReport['totals'];
  const removed = await db.findOneBy(UsageRemoved, { organisationId });
  const recordsFrom = removed?.recordsFrom ?? null;
  const complete = recordsFrom === null || recordsFrom.getTime() <= Date.parse(filter.from);
  return {
    from: filter.from,
    to: filter.to,
    regions: [...regions],
    stayed: complete && counts.every(({ verdict }) => !NOT_INSIDE.has(verdict)),
    recordsFrom: recordsFrom?.toISOString() ?? null,
    totals,
    counts,
  };
}

const countRows = z.array(
  z.object({
    regions: z.string().nullable(),
    abandoned: z.boolean(),
    requests: z.string(),
    cost: z.string(),
    first: z.date(),
    last: z.date(),
  }),
);

async function countsOf(asked: Asked): Promise<rest.ResidencyReport['counts']> {
  const { access, db, organisationId, filter, regions } = asked;
  const rows = matchingRecords(db, organisationId, filter);
  withinReach(rows, access, { teamId: 'record.teamId', userId: 'record.userId' });
  const found = await rows
    .select('record.regions', 'regions')
    .addSelect(`record.mode = 'ABANDONED'`, 'abandoned')
    .addSelect('count(*)::text', 'requests')
    .addSelect('sum(record.costNanoUsd)::text', 'cost')
    .addSelect('min(record.authorisedAt)', 'first')
    .addSelect('max(record.authorisedAt)', 'last')
    .groupBy('1, 2')
    .orderBy('count(*)', 'DESC')
    .limit(COUNTS_MOST + 1)
    .getRawMany();
  if (found.length > COUNTS_MOST) {
    throw invalid(
      'from',
      'the records have too many combinations of regions: ask for a shorter period',
    );
  }
  return countRows.parse(found).map((row) => ({
    regions: row.regions,
    verdict: verdictOf(row.regions, row.abandoned, regions),
    requests: Number(row.requests),
    costUsd: formatUsd(BigInt(row.cost)),
    firstAt: row.first.toISOString(),
    lastAt: row.last.toISOString(),
  }));
}

/** `text`: the regions of a record. */
export function verdictOf(
  text: string | null,
  abandoned: boolean,
  within: readonly string[],
): rest.ResidencyVerdict {
  // It is unknown whether an abandoned request was sent.
  if (text === null) return abandoned ? 'UNKNOWN' : 'NOT_RECORDED';
  if (text === NO_REGION) return 'NOT_SENT';
  const names = text.split(', ');
  if (names.some((name) => name !== UNKNOWN_REGION && !within.includes(name))) return 'OUTSIDE';
  return names.includes(UNKNOWN_REGION) ? 'UNKNOWN' : 'INSIDE';
}

function pageNotInside(
  { db, organisationId, access, regions, filter }: Asked,
  place: { cursor: string | undefined; limit: number },
) {
  return pageOfRecords(
    db,
    organisationId,
    access,
    { ...filter, notWithin: regions },
    { ...place, sort: 'authorisedAt' },
  );
}

function representRecord(
  row: UsageRecord,
  within: readonly string[],
): rest.ResidencyReport['records'][number] {
  return {
    id: row.id,
    authorisedAt: row.authorisedAt.toISOString(),
    apiKeyId: row.apiKeyId,
    teamId: row.teamId,
    model: row.modelName,
    providerId: row.providerId,
    mcpServerId: row.mcpServerId,
    operation: row.operation,
    mode: row.mode,
    regions: row.regions,
    verdict: verdictOf(row.regions, row.mode === 'ABANDONED', within),
  };
}

export async function exportReport(call: Call<typeof rest.exportResidencyReport>): Promise<string> {
  const asked = await askedOf(call);
  const { filename } = exportSpan(call.query, rest.RESIDENCY_DAYS, call.nowMs);
  return download({ filename: filename('residency'), chunks: csvOf(asked) });
}

const CSV_COLUMNS = [
  'row',
  'verdict',
  'regions',
  'requests',
  'costUsd',
  'from',
  'to',
  'requestId',
  'apiKeyId',
  'teamId',
  'model',
  'providerId',
  'mcpServerId',
  'operation',
  'mode',
];
const CSV_BATCH = 250;

/** A line for the whole, one for each count, and one for each record that is not inside. */
async function* csvOf(asked: Asked): AsyncGenerator<string> {
  const whole = await summaryOf(asked);
  const { from, to, regions, stayed, counts } = whole;
  const requests = counts.reduce((sum, one) => sum + one.requests, 0);
  const line = (...cells: CsvCell[]): string =>
    csvLine([...cells, ...CSV_COLUMNS.slice(cells.length).map(() => null)]);
  yield [
    csvLine(CSV_COLUMNS),
    line('report', stayed ? 'STAYED' : 'NOT_PROVED', regions.join(', '), requests, null, from, to),
    ...(whole.recordsFrom === null
      ? []
      : [line('removed', 'NOT_RECORDED', null, null, null, null, whole.recordsFrom)]),
    ...counts.map((one) =>
      line(
        'count',
        one.verdict,
        one.regions,
        one.requests,
        { amount: one.costUsd },
        one.firstAt,
        one.lastAt,
      ),
    ),
  ].join('');
  let cursor: string | undefined;
  do {
    const page = await pageNotInside(asked, { cursor, limit: CSV_BATCH });
    yield page.rows.map((row) => csvLine(recordCells(row, regions))).join('');
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

function recordCells(row: UsageRecord, within: readonly string[]): CsvCell[] {
  const one = representRecord(row, within);
  return [
    'record',
    one.verdict,
    one.regions,
    1,
    { amount: formatUsd(row.costNanoUsd) },
    one.authorisedAt,
    one.authorisedAt,
    one.id,
    one.apiKeyId,
    one.teamId,
    one.model,
    one.providerId,
    one.mcpServerId,
    one.operation,
    one.mode,
  ];
}
