import { formatUsd, restError, type rest } from '@tollgate/contracts';
import { uuidv7Floor } from '@tollgate/kit';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';

import type { TokenCounts } from '../../ledger/records/token-counts.entity';
import { UsageAdjustment } from '../../ledger/records/usage-adjustment.entity';
import { UsageRecord } from '../../ledger/records/usage-record.entity';
import { reaches, withinReach } from '../../rest/access';
import type { Access, Call } from '../../rest/call';
import { encodeCursor, idKey, readPage } from '../../rest/paging';
import { showUsageFields } from './usage-fields';

/** The id is generated shortly before the request is authorised, and partitions are cut by id. */
const ID_SLACK_MS = 3_600_000;

export async function list(
  call: Call<typeof rest.listUsageRecords>,
): Promise<{ data: rest.UsageRecord[]; nextCursor: string | null }> {
  const { query, access, organisation } = call;
  const { cursor, limit, sort = '-authorisedAt' } = query;
  const page = await pageOfRecords(call.db, organisation.id, access, query, {
    cursor,
    limit,
    sort,
  });
  return { data: page.rows.map(represent), nextCursor: page.nextCursor };
}

const FILTERS = [
  'teamId',
  'userId',
  'apiKeyId',
  'modelId',
  'providerId',
  'outcome',
  'mode',
  'httpStatus',
  'errorCode',
  'clientRequestId',
] as const;

export type RecordFilter = {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
} & Readonly<Partial<Record<(typeof FILTERS)[number], string | number | undefined>>>;

interface Place {
  cursor?: string | undefined;
  limit: number;
  sort: 'authorisedAt' | '-authorisedAt';
}
interface Page {
  rows: UsageRecord[];
  nextCursor: string | null;
}

/**
 * A page of records within the caller's reach. A manager's own records and those of each team are
 * read separately and merged, because each has an index sorted by time and their union has none.
 */
export async function pageOfRecords(
  db: EntityManager,
  organisationId: string,
  access: Access,
  filter: RecordFilter,
  place: Place,
): Promise<Page> {
  const select = (): SelectQueryBuilder<UsageRecord> =>
    filtered(
      db
        .createQueryBuilder(UsageRecord, 'record')
        .where('record.organisationId = :organisationId', { organisationId }),
      filter,
    );
  if (access.reach !== 'teams') {
    const columns = { teamId: 'record.teamId', userId: 'record.userId' };
    return readRecords(withinReach(select(), access, columns), place);
  }
  const own = 'record.userId = :reachUserId';
  const reachUserId = access.userId;
  const pages = [await readRecords(select().andWhere(own, { reachUserId }), place)];
  for (const reachTeamId of access.managedTeamIds) {
    const rows = select().andWhere(
      'record.teamId = :reachTeamId AND record.userId IS DISTINCT FROM :reachUserId',
      { reachTeamId, reachUserId },
    );
    pages.push(await readRecords(rows, place));
  }
  return merge(pages, place);
}

function filtered(
  rows: SelectQueryBuilder<UsageRecord>,
  filter: RecordFilter,
): SelectQueryBuilder<UsageRecord> {
  if (filter.from !== undefined) {
    const fromMs = Date.parse(filter.from);
    rows.andWhere('record.authorisedAt >= :from AND record.id >= :firstId', {
      from: new Date(fromMs),
      firstId: uuidv7Floor(Math.max(0, fromMs - ID_SLACK_MS)),
    });
  }
  if (filter.to !== undefined) {
    const toMs = Date.parse(filter.to);
    rows.andWhere('record.authorisedAt < :to AND record.id < :lastId', {
      to: new Date(toMs),
      lastId: uuidv7Floor(Math.max(0, toMs + ID_SLACK_MS)),
    });
  }
  for (const field of FILTERS) {
    const value = filter[field];
    if (value !== undefined) rows.andWhere(`record.${field} = :${field}`, { [field]: value });
  }
  return rows;
}

function readRecords(rows: SelectQueryBuilder<UsageRecord>, place: Place): Promise<Page> {
  return readPage(rows, {
    ...place,
    id: idKey<UsageRecord>('record.id'),
    keys: {
      authorisedAt: {
        column: 'record.authorisedAt',
        of: (row) => row.authorisedAt.toISOString(),
        holds: 'instant',
      },
    },
  });
}

function merge(pages: readonly Page[], { limit, sort }: Place): Page {
  const sign = sort === 'authorisedAt' ? 1 : -1;
  const all = pages
    .flatMap((page) => page.rows)
    .sort(
      (a, b) =>
        sign * (a.authorisedAt.getTime() - b.authorisedAt.getTime() || (a.id < b.id ? -1 : 1)),
    );
  const rows = all.slice(0, limit);
  const last = rows.at(-1);
  const more = all.length > limit || pages.some(({ nextCursor }) => nextCursor !== null);
  if (!more || last === undefined) return { rows, nextCursor: null };
  return { rows, nextCursor: encodeCursor(sort, last.authorisedAt.toISOString(), last.id) };
}

export async function get(call: Call<typeof rest.getUsageRecord>): Promise<rest.UsageRecordDetail> {
  const { db, organisation } = call;
  const row = await db.findOneBy(UsageRecord, {
    id: call.params.requestId,
    organisationId: organisation.id,
  });
  if (row === null || !reaches(call.access, row)) throw restError('not_found');
  const adjustments = await db.find(UsageAdjustment, {
    where: { requestId: row.id, organisationId: organisation.id },
    order: { id: 'ASC' },
  });
  return {
    ...represent(row),
    units: row.units,
    ...showUsageFields('hold', row),
    upstreamMs: Number(row.upstreamMs),
    ...showUsageFields('upstream', row),
    attempts: row.attempts.map((attempt) => ({
      modelId: attempt.modelId,
      providerId: attempt.providerId,
      outcome: attempt.outcome,
      httpStatus: attempt.httpStatus,
      startedAt: new Date(attempt.startedAtMs).toISOString(),
      latencyMs: attempt.latencyMs,
      firstTokenMs: attempt.firstTokenMs,
      tokens: attempt.usage ?? null,
      costUsd: formatUsd(BigInt(attempt.costNanoUsd)),
      priceId: attempt.priceId || null,
      hedge: attempt.hedge ?? false,
      upstreamRequestId: attempt.upstreamRequestId,
      upstreamModel: attempt.upstreamModel ?? '',
    })),
    adjustments: adjustments.map((adjustment) => ({
      id: adjustment.id,
      kind: adjustment.kind,
      reason: adjustment.reason,
      costUsd: formatUsd(adjustment.costNanoUsd),
      createdAt: adjustment.createdAt.toISOString(),
    })),
  };
}

function represent(row: UsageRecord): rest.UsageRecord {
  return {
    id: row.id,
    organisationId: row.organisationId,
    teamId: row.teamId,
    userId: row.userId,
    apiKeyId: row.apiKeyId,
    modelId: row.modelId,
    model: row.modelName,
    providerId: row.providerId,
    ...showUsageFields('request', row),
    mode: row.mode,
    outcome: row.outcome,
    ...showUsageFields('answer', row),
    tokensIn: Number(row.tokensIn),
    tokensOut: Number(row.tokensOut),
    tokens: representTokens(row),
    usageQuality: row.usageQuality,
    costUsd: formatUsd(row.costNanoUsd),
    ...showUsageFields('timing', row),
    authorisedAt: row.authorisedAt.toISOString(),
    closedAt: row.closedAt.toISOString(),
  };
}

function representTokens(row: TokenCounts): rest.UsageRecord['tokens'] {
  return {
    input: Number(row.inputTokens),
    cacheRead: Number(row.cacheReadTokens),
    cacheWrite5m: Number(row.cacheWrite5mTokens),
    cacheWrite1h: Number(row.cacheWrite1hTokens),
    audioInput: Number(row.audioInputTokens),
    output: Number(row.outputTokens),
    audioOutput: Number(row.audioOutputTokens),
    reasoning: Number(row.reasoningTokens),
  };
}
