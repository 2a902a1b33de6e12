import { emptyUsage, formatUsd, rest, restError } from '@tollgate/contracts';
import { In, type EntityManager } from 'typeorm';

import { Price } from '../../entities/price.entity';
import type { TokenCounts } from '../../ledger/records/token-counts.entity';
import { UsageRecord } from '../../ledger/records/usage-record.entity';
import { reaches } from '../../rest/access';
import type { Access, Call } from '../../rest/call';
import type { RowsOfPage } from '../../rest/paging';
import { representPrice } from '../models/prices';
import { mcpRequestsOf, mcpTargetsOf, type McpTarget } from './mcp-targets';
import { AUTHORISED_AT, matchingRecords, type RecordFilter } from './record-filters';
import { pageWithinReach, type Place } from './record-pages';
import { withSums } from './record-sums';
import { adjustmentsOf } from './usage-adjustments';
import { showUsageFields } from './usage-fields';

export async function list(
  call: Call<typeof rest.listUsageRecords>,
): Promise<rest.PageOf<rest.UsageRecord>> {
  const { query, access, organisation } = call;
  const { cursor, limit, sort = '-authorisedAt', total } = query;
  const place = { cursor, limit, sort, total };
  const page = await pageOfRecords(call.db, organisation.id, access, query, place);
  const targets = await mcpTargetsOf(call.db, mcpRequestsOf(page.rows));
  const data = page.rows.map((row) => represent(row, targets));
  const matching = page.matching === undefined ? undefined : await withSums(call, page.matching);
  return { data, nextCursor: page.nextCursor, matching };
}

export function pageOfRecords(
  db: EntityManager,
  organisationId: string,
  access: Access,
  filter: RecordFilter,
  place: Place,
): Promise<RowsOfPage<UsageRecord>> {
  return pageWithinReach(
    () => matchingRecords(db, organisationId, filter),
    AUTHORISED_AT,
    access,
    place,
  );
}

export async function get(call: Call<typeof rest.getUsageRecord>): Promise<rest.UsageRecordDetail> {
  const { db, organisation } = call;
  const row = await db.findOneBy(UsageRecord, {
    id: call.params.requestId,
    organisationId: organisation.id,
  });
  if (row === null || !reaches(call.access, row)) throw restError('not_found');
  const whole = representWhole(row, await mcpTargetsOf(db, mcpRequestsOf([row])));
  return {
    ...whole,
    attempts: isForAdmins(call.access)
      ? whole.attempts
      : whole.attempts.map((attempt) => ({ ...attempt, message: '' })),
    adjustments: await adjustmentsOf(db, row),
    prices: await pricesOf(db, row),
  };
}

/** Everything about a request but what was booked on top of it, and the prices. */
export type WholeRecord = Omit<rest.UsageRecordDetail, 'adjustments' | 'prices'>;

/** These records, by id. */
export async function wholeRecordsOf(
  db: EntityManager,
  ids: readonly string[],
): Promise<ReadonlyMap<string, WholeRecord>> {
  const rows = await db.findBy(UsageRecord, { id: In([...ids]) });
  const targets = await mcpTargetsOf(db, mcpRequestsOf(rows));
  return new Map(rows.map((row) => [row.id, representWhole(row, targets)]));
}

function representWhole(row: UsageRecord, targets: ReadonlyMap<string, McpTarget>): WholeRecord {
  return {
    ...represent(row, targets),
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
      // Attempts that were booked before a class was counted have no value for it.
      tokens: attempt.usage ? { ...emptyUsage(), ...attempt.usage } : null,
      costUsd: formatUsd(BigInt(attempt.costNanoUsd)),
      uncachedCostUsd: attempt.uncachedCostNanoUsd
        ? formatUsd(BigInt(attempt.uncachedCostNanoUsd))
        : null,
      priceId: attempt.priceId || null,
      serviceTier: attempt.serviceTier ?? null,
      region: attempt.region || null,
      hedge: attempt.hedge ?? false,
      upstreamRequestId: attempt.upstreamRequestId,
      upstreamModel: attempt.upstreamModel ?? '',
      message: attempt.message ?? '',
    })),
  };
}

// A provider's words may tell about its account.
function isForAdmins({ reach }: Access): boolean {
  return rest.reachesOrganisation(reach);
}

async function pricesOf(
  db: EntityManager,
  { attempts, organisationId, priceId }: UsageRecord,
): Promise<rest.Price[]> {
  const named = [priceId, ...attempts.map((attempt) => attempt.priceId)];
  const ids = [...new Set(named.filter((id) => id))];
  if (ids.length === 0) return [];
  const rows = await db.findBy(Price, { id: In(ids), organisationId });
  return rows.map(representPrice);
}

export function represent(
  row: UsageRecord,
  targets: ReadonlyMap<string, McpTarget>,
): rest.UsageRecord {
  return {
    id: row.id,
    organisationId: row.organisationId,
    teamId: row.teamId,
    userId: row.userId,
    apiKeyId: row.apiKeyId,
    modelId: row.modelId,
    model: row.modelName,
    providerId: row.providerId,
    // Retention may have removed the target since the record was read.
    mcp: targets.get(row.id) ?? null,
    ...showUsageFields('request', row),
    mode: row.mode,
    outcome: row.outcome,
    ...showUsageFields('answer', row),
    tokensIn: Number(row.tokensIn),
    tokensOut: Number(row.tokensOut),
    tokens: representTokens(row),
    usageQuality: row.usageQuality,
    costUsd: formatUsd(row.costNanoUsd),
    cacheSavedUsd: formatUsd(row.cacheSavedNanoUsd),
    routingSavedUsd: formatUsd(row.routingSavedNanoUsd),
    ...showUsageFields('timing', row),
    authorisedAt: row.authorisedAt.toISOString(),
    closedAt: row.closedAt.toISOString(),
  };
}

export function representTokens(row: TokenCounts): rest.UsageRecord['tokens'] {
  return {
    input: Number(row.inputTokens),
    cacheRead: Number(row.cacheReadTokens),
    cacheWrite5m: Number(row.cacheWrite5mTokens),
    cacheWrite1h: Number(row.cacheWrite1hTokens),
    audioInput: Number(row.audioInputTokens),
    imageInput: Number(row.imageInputTokens),
    output: Number(row.outputTokens),
    audioOutput: Number(row.audioOutputTokens),
    imageOutput: Number(row.imageOutputTokens),
    reasoning: Number(row.reasoningTokens),
  };
}
