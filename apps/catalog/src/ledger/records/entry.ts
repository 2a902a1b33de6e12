import {
  emptyUsage,
  isOneOf,
  isValueCounter,
  metricAmount,
  OUTCOMES,
  REGION_CHARACTERS,
  SERVICE_TIER_CHARACTERS,
  USAGE_QUALITIES,
  type CloseMode,
  type MetricEntry,
  type Outcome,
  type StoredUsageFields,
  type UsageQuality,
} from '@tollgate/contracts';
import type { Entry__Output, SettleRequest__Output } from '@tollgate/contracts/node';

import {
  amountsOf,
  type Amounts,
  type MetricColumn,
  type SavingColumn,
  type TokenColumn,
} from './amounts';
import { cleanText, isUuid, nanoUsdOf } from './entry-values';
import { parseMcp, type McpDetails } from './mcp-entry';
import { bookUsageFields } from './usage-fields';
import type { StoredAttempt } from './usage-record.entity';

/** Who and what an entry is charged to. Empty ids are null. */
export interface Dimensions {
  organisationId: string;
  teamId: string | null;
  userId: string | null;
  apiKeyId: string;
  modelId: string | null;
  providerId: string | null;
  /** Of a request to an MCP server, which has no model. */
  mcpServerId: string | null;
}

export interface Touched {
  limitId: string;
  startMs: number;
  endMs: number;
  amount: bigint;
}

/** A validated entry of a shard's ledger. */
export interface LedgerEntry {
  seq: bigint;
  requestId: string;
  mode: CloseMode;
  authorisedAtMs: number;
  closedAtMs: number;
  timeZone: string;
  dimensions: Dimensions;
  amounts: Amounts;
  outcome: Outcome | null;
  touched: readonly Touched[];
  details: RecordDetails;
  /** Null: a request to a model. */
  mcp: McpDetails | null;
}

/** The plain fields of a record, and those with a shape of their own. */
export interface RecordDetails extends StoredUsageFields {
  modelName: string;
  usageQuality: UsageQuality;
  units: Record<string, string>;
  attempts: StoredAttempt[];
}

/** Of an attempt, as the edge cuts it. */
const ATTEMPT_MESSAGE_MAX = 300;
/** The id of a limit, and the hash of a value. */
const VALUE_COUNTER = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}~[\w-]{1,64}$/;
const MAX_INSTANT_MS = 8_640_000_000_000_000;

/** Throws a RangeError that names the invalid field. */
export function parseEntry(wire: Entry__Output): LedgerEntry {
  const fail = (field: string): never => {
    throw new RangeError(`entry ${wire.seq}: ${field} cannot be booked`);
  };
  const id = (text: string, field: string): string => (isUuid(text) ? text : fail(field));
  const optionalId = (text: string, field: string): string | null =>
    text === '' ? null : id(text, field);
  const amount = (text: string, field: string): bigint => nanoUsdOf(text) ?? fail(field);
  const instant = (ms: number, field: string): number =>
    Number.isSafeInteger(ms) && ms > 0 && ms < MAX_INSTANT_MS ? ms : fail(field);

  const counterId = (text: string): string =>
    !isValueCounter(text) || VALUE_COUNTER.test(text) ? text : fail('touched.limit_id');

  const mode = modeOf(wire.mode) ?? fail('mode');
  const { subject, settle } = wire;
  if (subject === null) return fail('subject');
  const outcome = settle?.outcome ?? '';
  if (outcome !== '' && !isOneOf(OUTCOMES, outcome)) return fail('settle.outcome');
  const details = detailsOf(wire, fail);
  const mcp = parseMcp(wire, fail);
  const cost = amount(settle?.costNanoUsd ?? '', 'settle.cost_nano_usd');
  const usage = settle?.usage ?? emptyUsage();
  if (Object.values(usage).some((tokens) => !Number.isSafeInteger(tokens) || tokens < 0)) {
    return fail('settle.usage');
  }
  return {
    seq: BigInt(wire.seq),
    requestId: id(wire.requestId, 'request_id'),
    mode,
    authorisedAtMs: instant(wire.authorisedAtMs, 'authorised_at_ms'),
    closedAtMs: instant(wire.closedAtMs, 'closed_at_ms'),
    timeZone: wire.timeZone,
    dimensions: {
      organisationId: id(subject.organisationId, 'subject.organisation_id'),
      teamId: optionalId(subject.teamId, 'subject.team_id'),
      userId: optionalId(subject.userId, 'subject.user_id'),
      apiKeyId: id(subject.apiKeyId, 'subject.api_key_id'),
      // The candidate that answered is charged, or the first one when none did.
      modelId: optionalId(settle?.modelId || wire.modelId, 'model_id'),
      providerId: optionalId(settle?.providerId || wire.providerId, 'provider_id'),
      mcpServerId: mcp?.serverId ?? null,
    },
    amounts: amountsFrom(savingsOf(details, cost), {
      // An abandoned request is charged the amount of its hold.
      costNanoUsd: mode === 'ABANDONED' && cost === 0n ? details.heldNanoUsd : cost,
      usage,
      httpStatus: settle?.httpStatus ?? 0,
      outcome,
      upstreamMs: settle?.upstreamMs ?? 0,
      mode,
      operation: wire.operation,
    }),
    outcome: outcome === '' ? null : outcome,
    touched: wire.touched.map((limit) => ({
      limitId: counterId(limit.limitId),
      startMs: limit.windowStartMs,
      endMs: limit.windowEndMs,
      amount: amount(limit.amount, 'touched.amount'),
    })),
    details,
    mcp,
  };
}

function modeOf(text: string): CloseMode | undefined {
  return text === 'SETTLED' || text === 'ABANDONED' || text === 'CANCELLED' ? text : undefined;
}

type Savings = Record<SavingColumn, bigint>;

/** Nothing where there is nothing to compare, as in an abandoned request. */
function savingsOf({ attempts, firstChoiceCostNanoUsd }: RecordDetails, cost: bigint): Savings {
  let cached = 0n;
  for (const { costNanoUsd, uncachedCostNanoUsd } of attempts) {
    if (uncachedCostNanoUsd) cached += BigInt(uncachedCostNanoUsd) - BigInt(costNanoUsd || 0);
  }
  return {
    cache_saved_nano_usd: cached,
    routing_saved_nano_usd: firstChoiceCostNanoUsd === null ? 0n : firstChoiceCostNanoUsd - cost,
  };
}

function amountsFrom(savings: Savings, entry: MetricEntry): Amounts {
  const { usage } = entry;
  const billed = entry.mode !== 'CANCELLED';
  const tokens = {
    input_tokens: usage.input,
    cache_read_tokens: usage.cacheRead,
    cache_write_5m_tokens: usage.cacheWrite5m,
    cache_write_1h_tokens: usage.cacheWrite1h,
    audio_input_tokens: usage.audioInput,
    image_input_tokens: usage.imageInput,
    output_tokens: usage.output,
    audio_output_tokens: usage.audioOutput,
    image_output_tokens: usage.imageOutput,
    reasoning_tokens: usage.reasoning,
  } satisfies Record<TokenColumn, number>;
  const metrics = {
    cost_nano_usd: metricAmount('COST', entry),
    requests: metricAmount('REQUESTS', entry),
    errors: metricAmount('ERRORS', entry),
    tokens_in: metricAmount('TOKENS_IN', entry),
    tokens_out: metricAmount('TOKENS_OUT', entry),
    upstream_ms: metricAmount('LATENCY_MS', entry),
  } satisfies Record<MetricColumn, bigint>;
  return amountsOf((column) => {
    if (column in savings) return billed ? savings[column as SavingColumn] : 0n;
    if (column in metrics) return metrics[column as keyof typeof metrics];
    return billed ? BigInt(tokens[column as keyof typeof tokens]) : 0n;
  });
}

// Most attempts succeed, so an empty message takes no space.
function messageOf({ message }: SettleRequest__Output['attempts'][number]): { message?: string } {
  const cleaned = cleanText(message, ATTEMPT_MESSAGE_MAX);
  return cleaned === null ? {} : { message: cleaned };
}

function regionOf({ region }: SettleRequest__Output['attempts'][number]): { region?: string } {
  const cleaned = cleanText(region, REGION_CHARACTERS);
  return cleaned === null ? {} : { region: cleaned };
}

function tierOf({ serviceTier }: SettleRequest__Output['attempts'][number]): {
  serviceTier?: string;
} {
  const cleaned = cleanText(serviceTier, SERVICE_TIER_CHARACTERS);
  return cleaned === null ? {} : { serviceTier: cleaned };
}

function uncachedOf(
  { uncachedCostNanoUsd: text }: SettleRequest__Output['attempts'][number],
  fail: (field: string) => never,
): { uncachedCostNanoUsd?: string } {
  if (!text) return {};
  return nanoUsdOf(text) === undefined
    ? fail('settle.attempts.uncached_cost_nano_usd')
    : { uncachedCostNanoUsd: text };
}

function detailsOf(wire: Entry__Output, fail: (field: string) => never): RecordDetails {
  const { settle } = wire;
  const quality = settle?.usageQuality ?? '';
  return {
    ...bookUsageFields(wire, fail),
    modelName: cleanText(wire.modelName) ?? '',
    usageQuality: isOneOf(USAGE_QUALITIES, quality) ? quality : 'UNKNOWN',
    units: Object.fromEntries(
      Object.entries(settle?.units ?? {}).map(([unit, count]) => [
        cleanText(unit),
        cleanText(count),
      ]),
    ) as Record<string, string>,
    attempts: (settle?.attempts ?? []).map((attempt) => ({
      modelId: attempt.modelId,
      providerId: attempt.providerId,
      connectionVersion: attempt.connectionVersion,
      outcome: cleanText(attempt.outcome) ?? '',
      startedAtMs: attempt.startedAtMs,
      latencyMs: attempt.latencyMs,
      firstTokenMs: attempt.firstTokenMs,
      httpStatus: attempt.httpStatus,
      usage: attempt.usage ?? emptyUsage(),
      costNanoUsd: attempt.costNanoUsd,
      ...uncachedOf(attempt, fail),
      priceId: isUuid(attempt.priceId) ? attempt.priceId : '',
      ...tierOf(attempt),
      hedge: attempt.hedge,
      upstreamRequestId: cleanText(attempt.upstreamRequestId) ?? '',
      upstreamModel: cleanText(attempt.upstreamModel) ?? '',
      ...regionOf(attempt),
      ...messageOf(attempt),
    })),
  };
}
