import {
  emptyUsage,
  isOneOf,
  OUTCOMES,
  SHADOW_ARM,
  SHADOW_SUBJECT,
  type CloseMode,
  type TokenUsage,
} from '@tollgate/contracts';
import { emptySettle, type Entry, type SettleRequest__Output } from '@tollgate/contracts/node';

import { touchedBy, type CloseItem, type CloseOutcome, type LedgerEntry } from '../store';
import { closeCounters, sharesOf, usageVector } from './counters';
import type { Ticket, TicketMcp } from './ticket';

// A ledger entry on its way to the catalog: encoded by a close into the stream, and decoded by a
// drainer that recovers it from there. A drainer of the same process takes it from the close itself.

export interface Closing {
  readonly mode: CloseMode;
  readonly requestId: string;
  readonly ticket: Ticket;
  readonly authorisedAtMs: number;
  readonly leaseUntilMs: number;
  readonly settle: SettleRequest__Output;
}

/** Fields of an entry that the store does not know itself; all but two are texts. */
const TEXTS = [
  'modelId',
  'modelName',
  'providerId',
  'operation',
  'route',
  'clientRequestId',
  'timeZone',
  'heldNanoUsd',
  'estimateShortfallNanoUsd',
] as const;
const SUBJECT_TEXTS = [
  'organisationId',
  'teamId',
  'userId',
  'apiKeyId',
  'apiKeyName',
  'apiKeyType',
  'organisationSlug',
] as const;

interface Payload extends Record<(typeof TEXTS)[number], string> {
  readonly subject: Record<(typeof SUBJECT_TEXTS)[number], string>;
  readonly inputTokensEstimate: number;
  readonly mcp?: TicketMcp;
  /** A SettleRequest without its hold token and without default values. */
  readonly settle: Readonly<Record<string, unknown>>;
}

/** What only the store's script knew. */
export type Closed = Pick<
  CloseOutcome & { kind: 'CLOSED' },
  'seq' | 'authorisedAtMs' | 'nowMs' | 'charged'
>;

/** A close, and the entry that it writes once the store has answered it. */
export interface Close {
  readonly item: Omit<CloseItem, 'epoch'>;
  readonly entry: (closed: Closed) => Entry;
}

export function closeOf(closing: Closing): Omit<CloseItem, 'epoch'> {
  return closeWithEntry(closing).item;
}

export function closeWithEntry(closing: Closing): Close {
  const { mode, ticket, settle } = closing;
  const costNanoUsd = BigInt(settle.costNanoUsd || '0');
  const usage = usageVector({
    costNanoUsd,
    usage: settle.usage ?? emptyUsage(),
    httpStatus: settle.httpStatus,
    outcome: isOneOf(OUTCOMES, settle.outcome) ? settle.outcome : '',
    upstreamMs: settle.upstreamMs,
    mode,
    operation: ticket.operation,
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
    // That of a shadow's ticket is the request that it repeats.
    clientRequestId: ticket.subject.apiKeyType === SHADOW_SUBJECT ? '' : ticket.clientRequestId,
    timeZone: ticket.timeZone,
    heldNanoUsd: ticket.heldNanoUsd.toString(),
    estimateShortfallNanoUsd: (shortfall > 0n ? shortfall : 0n).toString(),
    inputTokensEstimate: ticket.inputTokens,
    settle: settled(withArm(settle, ticket)),
    ...(ticket.mcp === undefined ? {} : { mcp: ticket.mcp }),
  };
  const { requestId } = closing;
  const item: Close['item'] = {
    shard: ticket.shard,
    requestId,
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
      MCP_SERVER: ticket.mcp?.serverId ?? '',
    },
    payload: JSON.stringify(payload),
  };
  return {
    item,
    entry: ({ seq, authorisedAtMs, nowMs, charged }) =>
      entryWith(payload, {
        seq,
        requestId,
        mode,
        authorisedAtMs,
        closedAtMs: nowMs,
        touched: touchedBy(item.counters, charged),
      }),
  };
}

/** Throws when the payload is invalid: the drainer sets that entry aside. */
export function entryOf(stored: LedgerEntry): Entry {
  return entryWith(payloadOf(JSON.parse(stored.payload)), stored);
}

type Told = Pick<
  LedgerEntry,
  'seq' | 'requestId' | 'mode' | 'authorisedAtMs' | 'closedAtMs' | 'touched'
>;

function entryWith(payload: Payload, stored: Told): Entry {
  return {
    ...payload,
    settle: withBytes(payload.settle),
    seq: stored.seq,
    requestId: stored.requestId,
    mode: stored.mode,
    authorisedAtMs: stored.authorisedAtMs,
    closedAtMs: stored.closedAtMs,
    touched: stored.touched.map((touched) => ({
      limitId: touched.limitId,
      windowStartMs: touched.windowStartMs,
      windowEndMs: touched.windowEndMs,
      amount: touched.amount.toString(),
    })),
  };
}

// The only bytes of a settle; JSON has none.
const SESSION = 'sessionSha256';

function withBytes(settle: Payload['settle']): Payload['settle'] {
  if (settle['mcp'] === undefined || settle['mcp'] === null) return settle;
  const mcp = objectOf(settle['mcp'], 'settle.mcp');
  textOf(mcp, SESSION);
  return { ...settle, mcp: { ...mcp, [SESSION]: Buffer.from(String(mcp[SESSION]), 'base64') } };
}

/**
 * A settle without an arm gets that of the hold: nobody settles an abandoned one, and an edge of an earlier release or
 * one that ends another edge's response knows none.
 */
function withArm(settle: SettleRequest__Output, { arm }: Ticket): SettleRequest__Output {
  if (arm === undefined || settle.experimentId !== '') return settle;
  return { ...settle, experimentId: arm.experimentId, experimentArm: arm.arm };
}

// Most of the fifty fields of a settle and its attempts have their defaults, which protobuf
// restores on its own.
function settled(settle: SettleRequest__Output): Payload['settle'] {
  const kept = withoutDefaults(settle);
  if (settle.usage !== null) kept['usage'] = withoutDefaults(settle.usage);
  if (settle.mcp !== null) {
    const { sessionSha256 } = settle.mcp;
    kept['mcp'] = { ...withoutDefaults(settle.mcp), [SESSION]: sessionSha256.toString('base64') };
  }
  if (settle.attempts.length > 0) {
    kept['attempts'] = settle.attempts.map((attempt) => {
      const one = withoutDefaults(attempt);
      if (attempt.usage !== null) one['usage'] = withoutDefaults(attempt.usage);
      return one;
    });
  }
  return kept;
}

// Only scalar fields and units; nested messages are added by the caller. The hold token is dropped.
function withoutDefaults(message: object): Record<string, unknown> {
  const fields = message as Readonly<Record<string, unknown>>;
  const kept: Record<string, unknown> = {};
  for (const name in fields) {
    const value = fields[name];
    const given = typeof value === 'object' ? name === 'units' : Boolean(value);
    if (given) kept[name] = value;
  }
  return kept;
}

// By hand instead of with a schema: it runs for every request.
function payloadOf(value: unknown): Payload {
  const payload = objectOf(value, 'payload');
  const subject = objectOf(payload['subject'], 'subject');
  for (const name of TEXTS) textOf(payload, name);
  for (const name of SUBJECT_TEXTS) textOf(subject, name);
  if (typeof payload['inputTokensEstimate'] !== 'number') {
    throw new TypeError('inputTokensEstimate: not a number');
  }
  objectOf(payload['settle'], 'settle');
  return payload as unknown as Payload;
}

function objectOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(`${name}: not an object`);
  }
  return value as Readonly<Record<string, unknown>>;
}

function textOf(from: Readonly<Record<string, unknown>>, name: string): void {
  if (typeof from[name] !== 'string') throw new TypeError(`${name}: not a text`);
}

/** The settle of an abandoned hold: the whole held amount, because the outcome is unknown. */
export function abandonedSettle(requestId: string, ticket: Ticket): SettleRequest__Output {
  const [candidate] = ticket.candidates;
  const usage: TokenUsage = {
    ...emptyUsage(),
    input: ticket.inputTokens - ticket.audioInputTokens,
    audioInput: ticket.audioInputTokens,
    output: ticket.heldOutputTokens * ticket.choices,
  };
  return {
    ...emptySettle(),
    requestId,
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
    errorCode: 'abandoned',
    // Of a passthrough request: the most that it was held for.
    requestBytes: ticket.units['request_byte'] ?? 0,
    responseBytes: ticket.units['response_byte'] ?? 0,
    ...shadowIn(ticket),
  };
}

function shadowIn({ clientRequestId, subject }: Ticket) {
  if (subject.apiKeyType !== SHADOW_SUBJECT) return {};
  const { apiKeyId: experimentId } = subject;
  return { experimentId, experimentArm: SHADOW_ARM, shadowOf: clientRequestId };
}

/** The settle that releases everything: the upstream was never asked, or never billed. */
export function cancelledSettle(requestId: string, holdToken: Buffer): SettleRequest__Output {
  return { ...emptySettle(), requestId, holdToken, cancelled: true, costNanoUsd: '0' };
}
