import {
  type CloseMode,
  OUTCOMES,
  type TokenUsage,
  emptyUsage,
  isOneOf,
} from '@tollgate/contracts';
import type { Entry, SettleRequest__Output } from '@tollgate/contracts/node';
import { z } from 'zod';

import { closeCounters, sharesOf, usageVector } from './counters';
import type { Ticket } from './ticket';
import type { CloseItem, LedgerEntry } from '../store';

// One ledger entry on its way: a close that writes it into the stream, and the entry that the
// drainer makes of it for the catalog. Both directions stand here, side by side.

export interface Closing {
  readonly mode: CloseMode;
  readonly requestId: string;
  readonly ticket: Ticket;
  readonly authorisedAtMs: number;
  readonly leaseUntilMs: number;
  readonly settle: SettleRequest__Output;
}

/** What of an entry the store does not know itself. */
const payloadSchema = z.object({
  subject: z.object({
    organisationId: z.string(),
    teamId: z.string(),
    userId: z.string(),
    apiKeyId: z.string(),
    apiKeyName: z.string(),
    apiKeyType: z.string(),
    organisationSlug: z.string(),
  }),
  modelId: z.string(),
  modelName: z.string(),
  providerId: z.string(),
  operation: z.string(),
  route: z.string(),
  clientRequestId: z.string(),
  timeZone: z.string(),
  heldNanoUsd: z.string(),
  estimateShortfallNanoUsd: z.string(),
  inputTokensEstimate: z.number(),
  settle: z.record(z.string(), z.unknown()),
});
type Payload = z.infer<typeof payloadSchema>;

export function closeOf(closing: Closing): Omit<CloseItem, 'epoch'> {
  const { mode, ticket, settle } = closing;
  const costNanoUsd = BigInt(settle.costNanoUsd || '0');
  const usage = usageVector({
    costNanoUsd,
    usage: settle.usage ?? emptyUsage(),
    httpStatus: settle.httpStatus,
    outcome: isOneOf(OUTCOMES, settle.outcome) ? settle.outcome : '',
    upstreamMs: settle.upstreamMs,
    mode,
  });
  const candidate =
    ticket.candidates.find(({ modelId }) => modelId === settle.modelId) ?? ticket.candidates[0];
  const modelId = settle.modelId || (candidate?.modelId ?? '');
  const shortfall = costNanoUsd - ticket.heldNanoUsd;
  const payload: Payload = {
    subject: ticket.subject,
    modelId,
    modelName: candidate?.modelName ?? '',
    providerId: settle.providerId || (candidate?.providerId ?? ''),
    operation: ticket.operation,
    route: ticket.route,
    clientRequestId: ticket.clientRequestId,
    timeZone: ticket.timeZone,
    heldNanoUsd: ticket.heldNanoUsd.toString(),
    estimateShortfallNanoUsd: (shortfall > 0n ? shortfall : 0n).toString(),
    inputTokensEstimate: ticket.inputTokens,
    settle: { ...settle, holdToken: undefined },
  };
  return {
    shard: ticket.shard,
    requestId: closing.requestId,
    mode,
    authorisedAtMs: closing.authorisedAtMs,
    leaseUntilMs: closing.leaseUntilMs,
    counters: closeCounters(
      ticket.limits,
      mode,
      usage,
      ticket.candidates.length > 1
        ? { modelId, shares: sharesOf(settle.attempts, usage, modelId) }
        : {},
    ),
    usage,
    dimensions: {
      ORGANISATION: ticket.subject.organisationId,
      TEAM: ticket.subject.teamId,
      USER: ticket.subject.userId,
      API_KEY: ticket.subject.apiKeyId,
      MODEL: modelId,
    },
    payload: JSON.stringify(payload),
  };
}

/** Throws when the payload is not one of ours: that entry stands alone and is set aside. */
export function entryOf(stored: LedgerEntry): Entry {
  const { settle, ...payload } = payloadSchema.parse(JSON.parse(stored.payload));
  return {
    ...payload,
    seq: stored.seq,
    requestId: stored.requestId,
    mode: stored.mode,
    authorisedAtMs: stored.authorisedAtMs,
    closedAtMs: stored.closedAtMs,
    settle,
    touched: stored.touched.map((touched) => ({
      limitId: touched.limitId,
      windowStartMs: touched.windowStartMs,
      windowEndMs: touched.windowEndMs,
      amount: touched.amount.toString(),
    })),
  };
}

/** What an abandoned hold is charged: all that it held. Nobody knows how its request ended. */
export function abandonedSettle(requestId: string, ticket: Ticket): SettleRequest__Output {
  const [candidate] = ticket.candidates;
  const usage: TokenUsage = {
    ...emptyUsage(),
    input: ticket.inputTokens - ticket.audioInputTokens,
    audioInput: ticket.audioInputTokens,
    output: ticket.heldOutputTokens * ticket.choices,
  };
  return {
    requestId,
    holdToken: Buffer.alloc(0),
    cancelled: false,
    outcome: 'FAILED',
    usage,
    units: Object.fromEntries(
      Object.entries(ticket.units).map(([unit, quantity]) => [unit, String(quantity)]),
    ),
    usageQuality: 'UNKNOWN',
    costNanoUsd: ticket.heldNanoUsd.toString(),
    modelId: candidate?.modelId ?? '',
    providerId: candidate?.providerId ?? '',
    priceId: candidate?.priceId ?? '',
    httpStatus: 0,
    errorCode: 'abandoned',
    latencyMs: 0,
    firstTokenMs: 0,
    upstreamMs: 0,
    stopReason: '',
    stream: false,
    upstreamRequestId: '',
    responseId: '',
    attempts: [],
  };
}

/** What gives everything back: the upstream was never asked, or never billed. */
export function cancelledSettle(requestId: string, holdToken: Buffer): SettleRequest__Output {
  return {
    requestId,
    holdToken,
    cancelled: true,
    outcome: '',
    usage: null,
    units: {},
    usageQuality: '',
    costNanoUsd: '0',
    modelId: '',
    providerId: '',
    priceId: '',
    httpStatus: 0,
    errorCode: '',
    latencyMs: 0,
    firstTokenMs: 0,
    upstreamMs: 0,
    stopReason: '',
    stream: false,
    upstreamRequestId: '',
    responseId: '',
    attempts: [],
  };
}
