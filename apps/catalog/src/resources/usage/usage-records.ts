import { formatUsd, restError, type rest } from '@tollgate/contracts';
import { uuidv7Floor } from '@tollgate/kit';
import { reaches, withinReach } from '../../rest/access';
import type { Call } from '../../rest/call';
import { idKey, readPage } from '../../rest/paging';
import type { TokenCounts } from './token-counts.entity';
import { UsageAdjustment } from './usage-adjustment.entity';
import { UsageRecord } from './usage-record.entity';

/** The id is made a little before the request is authorised; partitions are cut by it. */
const ID_SLACK_MS = 3_600_000;

export async function list(
  call: Call<typeof rest.listUsageRecords>,
): Promise<{ data: rest.UsageRecord[]; nextCursor: string | null }> {
  const { query, db } = call;
  const rows = db
    .createQueryBuilder(UsageRecord, 'record')
    .where('record.organisationId = :organisationId', { organisationId: call.organisation.id });
  withinReach(rows, call.access, { teamId: 'record.teamId', userId: 'record.userId' });
  if (query.from !== undefined) {
    const fromMs = Date.parse(query.from);
    rows.andWhere('record.authorisedAt >= :from AND record.id >= :firstId', {
      from: new Date(fromMs),
      firstId: uuidv7Floor(Math.max(0, fromMs - ID_SLACK_MS)),
    });
  }
  if (query.to !== undefined) {
    const toMs = Date.parse(query.to);
    rows.andWhere('record.authorisedAt < :to AND record.id < :lastId', {
      to: new Date(toMs),
      lastId: uuidv7Floor(Math.max(0, toMs + ID_SLACK_MS)),
    });
  }
  for (const field of FILTERS) {
    const value = query[field];
    if (value !== undefined) rows.andWhere(`record.${field} = :${field}`, { [field]: value });
  }
  const page = await readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    sort: query.sort ?? '-authorisedAt',
    id: idKey<UsageRecord>('record.id'),
    keys: {
      authorisedAt: {
        column: 'record.authorisedAt',
        of: (row) => row.authorisedAt.toISOString(),
        holds: 'instant',
      },
    },
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
    heldUsd: formatUsd(row.heldNanoUsd),
    estimateShortfallUsd: formatUsd(row.estimateShortfallNanoUsd),
    inputTokensEstimate: Number(row.inputTokensEstimate),
    priceId: row.priceId,
    upstreamMs: Number(row.upstreamMs),
    upstreamRequestId: row.upstreamRequestId,
    attempts: row.attempts.map((attempt) => ({
      modelId: attempt.modelId,
      providerId: attempt.providerId,
      outcome: attempt.outcome,
      httpStatus: attempt.httpStatus,
      startedAt: new Date(attempt.startedAtMs).toISOString(),
      latencyMs: attempt.latencyMs,
      firstTokenMs: attempt.firstTokenMs,
      costUsd: formatUsd(BigInt(attempt.costNanoUsd)),
      upstreamRequestId: attempt.upstreamRequestId,
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
    operation: row.operation,
    route: row.route,
    clientRequestId: row.clientRequestId,
    mode: row.mode,
    outcome: row.outcome,
    httpStatus: row.httpStatus,
    errorCode: row.errorCode,
    stopReason: row.stopReason,
    stream: row.stream,
    tokensIn: Number(row.tokensIn),
    tokensOut: Number(row.tokensOut),
    tokens: representTokens(row),
    usageQuality: row.usageQuality,
    costUsd: formatUsd(row.costNanoUsd),
    latencyMs: row.latencyMs,
    firstTokenMs: row.firstTokenMs,
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
