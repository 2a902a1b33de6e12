import { formatUsd, rest, restError } from '@tollgate/contracts';
import { In, type EntityManager, type SelectQueryBuilder } from 'typeorm';

import { McpUsageRecord } from '../../ledger/records/mcp-usage-record.entity';
import { reaches } from '../../rest/access';
import type { Access, Call } from '../../rest/call';
import { download } from '../../rest/download';
import { exportSpan } from '../../rest/export-span';
import { namesOf, type NameOf } from '../../rest/object-names';
import type { RowsOfPage } from '../../rest/paging';
import { csvPages, type CsvColumn } from './record-csv';
import { pageWithinReach, withinTime, type Place } from './record-pages';
import { adjustmentsOf } from './usage-adjustments';

/** Requests to MCP servers, as the API lists, shows and exports them. */

const CALLED_AT = { name: 'calledAt', of: (row: McpUsageRecord): Date => row.calledAt };

const FILTERS = ['mcpServerId', 'teamId', 'userId', 'apiKeyId', 'method', 'outcome'] as const;

type Filter = Readonly<
  Partial<Record<(typeof FILTERS)[number] | 'from' | 'to' | 'name' | 'isError', string | undefined>>
>;

export async function list(
  call: Call<typeof rest.listMcpUsageRecords>,
): Promise<rest.PageOf<rest.McpUsageRecord>> {
  const { query, access, organisation } = call;
  const { cursor, limit, sort = '-calledAt', total } = query;
  const place = { cursor, limit, sort, total };
  const page = await pageOf(call.db, organisation.id, access, query, place);
  return { data: page.rows.map(represent), nextCursor: page.nextCursor, matching: page.matching };
}

export async function get(
  call: Call<typeof rest.getMcpUsageRecord>,
): Promise<rest.McpUsageRecordDetail> {
  const { db, organisation, access } = call;
  const row = await db.findOneBy(McpUsageRecord, {
    id: call.params.mcpRecordId,
    organisationId: organisation.id,
  });
  if (row === null || !reaches(access, row)) throw restError('not_found');
  return { ...represent(row), adjustments: await adjustmentsOf(db, row) };
}

function pageOf(
  db: EntityManager,
  organisationId: string,
  access: Access,
  filter: Filter,
  place: Place,
): Promise<RowsOfPage<McpUsageRecord>> {
  const select = (): SelectQueryBuilder<McpUsageRecord> => {
    const rows = db
      .createQueryBuilder(McpUsageRecord, 'record')
      .where('record.organisationId = :organisationId', { organisationId });
    withinTime(rows, CALLED_AT, filter);
    for (const field of FILTERS) {
      const value = filter[field];
      if (value !== undefined) rows.andWhere(`record.${field} = :${field}`, { [field]: value });
    }
    if (filter.name !== undefined) {
      // The first condition is that of the index.
      rows.andWhere('left(record.name, 100) = left(:name, 100) AND record.name = :name', filter);
    }
    // Without a parameter, so that the planner can use the partial index.
    if (filter.isError === 'true') rows.andWhere('record.isError');
    if (filter.isError === 'false') rows.andWhere('NOT record.isError');
    return rows;
  };
  return pageWithinReach(select, CALLED_AT, access, place);
}

/** These records, by id. */
export async function mcpRecordsOf(
  db: EntityManager,
  ids: readonly string[],
): Promise<ReadonlyMap<string, rest.McpUsageRecord>> {
  const rows = await db.findBy(McpUsageRecord, { id: In([...ids]) });
  return new Map(rows.map((row) => [row.id, represent(row)]));
}

function represent(row: McpUsageRecord): rest.McpUsageRecord {
  return {
    id: row.id,
    organisationId: row.organisationId,
    teamId: row.teamId,
    userId: row.userId,
    apiKeyId: row.apiKeyId,
    mcpServerId: row.mcpServerId,
    mcpServer: row.mcpServer,
    method: row.method,
    name: row.name,
    mode: row.mode,
    outcome: row.outcome,
    httpStatus: row.httpStatus,
    errorCode: row.errorCode,
    jsonRpcErrorCode: row.jsonRpcErrorCode,
    isError: row.isError,
    protocolVersion: row.protocolVersion,
    resultType: row.resultType,
    latencyMs: row.latencyMs,
    firstByteMs: row.firstByteMs,
    requestBytes: Number(row.requestBytes),
    responseBytes: Number(row.responseBytes),
    costUsd: formatUsd(row.costNanoUsd),
    clientRequestId: row.clientRequestId,
    traceId: row.traceId,
    sessionSha256: row.sessionSha256?.toString('hex') ?? null,
    calledAt: row.calledAt.toISOString(),
  };
}

interface Exported {
  readonly record: rest.McpUsageRecord;
  readonly nameOf: NameOf;
}

/** In the order of the list; `organisationId` is the same in all rows. */
const COLUMNS: readonly CsvColumn<Exported>[] = [
  ['id', ({ record }) => record.id],
  ['calledAt', ({ record }) => record.calledAt],
  ['teamId', ({ record }) => record.teamId],
  ['team', ({ record, nameOf }) => nameOf('team', record.teamId)],
  ['userId', ({ record }) => record.userId],
  ['user', ({ record, nameOf }) => nameOf('user', record.userId)],
  ['apiKeyId', ({ record }) => record.apiKeyId],
  ['apiKey', ({ record, nameOf }) => nameOf('apiKey', record.apiKeyId)],
  ['mcpServerId', ({ record }) => record.mcpServerId],
  ['mcpServer', ({ record }) => record.mcpServer],
  ['method', ({ record }) => record.method],
  ['name', ({ record }) => record.name],
  ['mode', ({ record }) => record.mode],
  ['outcome', ({ record }) => record.outcome],
  ['httpStatus', ({ record }) => record.httpStatus],
  ['errorCode', ({ record }) => record.errorCode],
  ['jsonRpcErrorCode', ({ record }) => record.jsonRpcErrorCode],
  ['isError', ({ record }) => record.isError],
  ['protocolVersion', ({ record }) => record.protocolVersion],
  ['resultType', ({ record }) => record.resultType],
  ['latencyMs', ({ record }) => record.latencyMs],
  ['firstByteMs', ({ record }) => record.firstByteMs],
  ['requestBytes', ({ record }) => record.requestBytes],
  ['responseBytes', ({ record }) => record.responseBytes],
  ['costUsd', ({ record }) => ({ amount: record.costUsd })],
  ['clientRequestId', ({ record }) => record.clientRequestId],
  ['traceId', ({ record }) => record.traceId],
  ['sessionSha256', ({ record }) => record.sessionSha256],
];

export function exportRecords(call: Call<typeof rest.exportMcpUsageRecords>): Promise<string> {
  const { db, query, organisation, access } = call;
  const span = exportSpan(query, rest.USAGE_EXPORT_DAYS, call.nowMs);
  const filter = { ...query, from: span.from, to: span.to };
  const chunks = csvPages(COLUMNS, async (place) => {
    const sorted = { ...place, sort: 'calledAt' };
    const { rows, nextCursor } = await pageOf(db, organisation.id, access, filter, sorted);
    const nameOf = await namesOf(
      db,
      rows.flatMap(({ teamId, userId, apiKeyId }) => [
        { kind: 'team', id: teamId },
        { kind: 'user', id: userId },
        { kind: 'apiKey', id: apiKeyId },
      ]),
    );
    return { rows: rows.map((row) => ({ record: represent(row), nameOf })), nextCursor };
  });
  return Promise.resolve(download({ filename: span.filename('mcp-usage'), chunks }));
}
