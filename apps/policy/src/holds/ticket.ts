import {
  BUDGET_PERIODS,
  isOneOf,
  isValueCounter,
  LIMIT_KINDS,
  LIMIT_MODES,
  QUOTA_METRICS,
  SCOPE_TYPES,
  type Limit,
} from '@tollgate/contracts';
import type { Subject__Output } from '@tollgate/contracts/node';

import { valueScopeOf } from '../decide';
import { digits, list, OTHER_SHAPE, parse, string, texts, whole } from './ticket-fields';

/** A limit that a hold counts in, with the window of its authorise instant. */
export interface HeldLimit extends Omit<Limit, 'clamp'> {
  /** Both 0 for rates. */
  readonly windowStartMs: number;
  readonly windowEndMs: number;
  readonly held: bigint;
}

export interface TicketCandidate {
  readonly modelId: string;
  readonly modelName: string;
  readonly providerId: string;
  readonly connectionVersion: number;
  readonly priceId: string;
  readonly outputBound: number;
  readonly heldOutputTokens: number;
  readonly inSteps: boolean;
  /** End of this request's exclusive probe; 0: the breaker is closed. */
  readonly probeUntilMs: number;
}

/**
 * Everything that extending and closing a hold need, so that any policy can do both after the store
 * has lost the hold. It is stored with the hold, and the caller gets it inside the hold token.
 */
export interface Ticket {
  readonly shard: number;
  readonly keySha256: Buffer;
  readonly subject: Subject__Output;
  readonly timeZone: string;
  readonly operation: string;
  readonly route: string;
  readonly clientRequestId: string;
  readonly inputTokens: number;
  /** Included in inputTokens. */
  readonly audioInputTokens: number;
  /** Billable units beside tokens. */
  readonly units: Readonly<Record<string, number>>;
  readonly choices: number;
  /** Per answer. */
  readonly heldOutputTokens: number;
  readonly heldNanoUsd: bigint;
  /** Nano-USD per million output tokens of the dearest candidate. */
  readonly outputPrice: bigint;
  readonly clamped: boolean;
  /** Number of extensions so far. */
  readonly step: number;
  readonly candidates: readonly TicketCandidate[];
  readonly limits: readonly HeldLimit[];
  /** Absent: the request is for a model. */
  readonly mcp?: TicketMcp;
  /** Absent: the request takes part in no experiment. */
  readonly arm?: TicketArm | undefined;
}

/** The arm of an experiment that a request was assigned to. */
export interface TicketArm {
  readonly experimentId: string;
  readonly arm: string;
}

/** The JSON-RPC request of a hold that is for an MCP server. */
export interface TicketMcp {
  readonly serverId: string;
  readonly identifier: string;
  readonly method: string;
  readonly name: string;
}

const VERSION = 2;

// A flat list without names: one is written and stored for every request.
export function encodeTicket(ticket: Ticket): string {
  const { subject } = ticket;
  return JSON.stringify([
    VERSION,
    ticket.shard,
    ticket.keySha256.toString('base64url'),
    [
      subject.organisationId,
      subject.teamId,
      subject.userId,
      subject.apiKeyId,
      subject.apiKeyName,
      subject.apiKeyType,
      subject.organisationSlug,
    ],
    [ticket.timeZone, ticket.operation, ticket.route, ticket.clientRequestId],
    [
      ticket.inputTokens,
      ticket.audioInputTokens,
      ticket.choices,
      ticket.heldOutputTokens,
      ticket.step,
    ],
    Object.entries(ticket.units),
    [ticket.heldNanoUsd.toString(), ticket.outputPrice.toString(), flagWithArm(ticket)],
    ticket.candidates.map((candidate) => [
      candidate.modelId,
      candidate.modelName,
      candidate.providerId,
      candidate.priceId,
      candidate.outputBound,
      candidate.heldOutputTokens,
      candidate.inSteps,
      candidate.connectionVersion,
      ...(candidate.probeUntilMs > 0 ? [candidate.probeUntilMs] : []),
    ]),
    // A policy of an earlier release refuses a ticket with a scope or period that it does not know. It can end and
    // extend this hold, because the id of the counter says the rest.
    ticket.limits.map((limit) => [
      limit.limitId,
      limit.kind,
      limit.metric,
      isValueCounter(limit.limitId) ? 'ORGANISATION' : limit.scopeType,
      limit.scopeId,
      isValueCounter(limit.limitId) && limit.period === 'LIFETIME' ? '' : limit.period,
      limit.windowSeconds,
      limit.limit.toString(),
      limit.mode,
      limit.windowStartMs,
      limit.windowEndMs,
      limit.held.toString(),
    ]),
    ...(ticket.mcp ? [encodeMcp(ticket.mcp)] : []),
  ]);
}

// A policy of an earlier release refuses a ticket with an extra field, so the arm shares the place of `clamped`. That
// release reads the list as `false`: it ends and extends the hold, and only the answer to a repeated request lacks the flag.
function flagWithArm({ arm, clamped }: Ticket): unknown {
  return arm === undefined ? clamped : [clamped, arm.experimentId, arm.arm];
}

const encodeMcp = ({ serverId, identifier, method, name }: TicketMcp): string[] => [
  serverId,
  identifier,
  method,
  name,
];

/** Throws a RangeError when the text is not a ticket of this version. */
export function decodeTicket(text: string): Ticket {
  const fields = list(parse(text));
  if (fields.length < 10 || fields.length > 11) throw new RangeError(OTHER_SHAPE);
  const [version, shard, keySha256, subject, names, counts, units, money, candidates, limits, mcp] =
    fields;
  if (version !== VERSION) throw new RangeError('the ticket is of another version');
  const [organisationId, teamId, userId, apiKeyId, apiKeyName, apiKeyType, organisationSlug] =
    texts(subject, 7);
  const [timeZone, operation, route, clientRequestId] = texts(names, 4);
  const [inputTokens, audioInputTokens, choices, heldOutputTokens, step] = list(counts, 5);
  const [heldNanoUsd, outputPrice, flag] = list(money, 3);
  return {
    shard: whole(shard),
    keySha256: Buffer.from(string(keySha256), 'base64url'),
    subject: {
      organisationId,
      teamId,
      userId,
      apiKeyId,
      apiKeyName,
      apiKeyType,
      organisationSlug,
    },
    timeZone,
    operation,
    route,
    clientRequestId,
    inputTokens: whole(inputTokens),
    audioInputTokens: whole(audioInputTokens),
    units: Object.fromEntries(list(units).map(decodeUnit)),
    choices: whole(choices),
    heldOutputTokens: whole(heldOutputTokens),
    step: whole(step),
    heldNanoUsd: digits(heldNanoUsd),
    outputPrice: digits(outputPrice),
    ...decodeFlag(flag),
    candidates: list(candidates).map(decodeCandidate),
    limits: list(limits).map(decodeLimit),
    ...(mcp === undefined ? {} : { mcp: decodeMcp(mcp) }),
  };
}

function decodeFlag(value: unknown): Pick<Ticket, 'arm' | 'clamped'> {
  if (!Array.isArray(value)) return { clamped: value === true };
  const [clamped, ...names] = list(value, 3);
  const [experimentId, arm] = texts(names, 2);
  return { clamped: clamped === true, arm: { experimentId, arm } };
}

function decodeMcp(value: unknown): TicketMcp {
  const [serverId, identifier, method, name] = texts(value, 4);
  return { serverId, identifier, method, name };
}

function decodeUnit(value: unknown): [unit: string, quantity: number] {
  const [unit, quantity] = list(value, 2);
  return [string(unit), whole(quantity)];
}

function decodeCandidate(value: unknown): TicketCandidate {
  const fields = list(value);
  if (fields.length < 8 || fields.length > 9) throw new RangeError(OTHER_SHAPE);
  const [modelId, modelName, providerId, priceId] = texts(fields.slice(0, 4), 4);
  return {
    modelId,
    modelName,
    providerId,
    priceId,
    outputBound: whole(fields[4]),
    heldOutputTokens: whole(fields[5]),
    inSteps: fields[6] === true,
    connectionVersion: whole(fields[7]),
    probeUntilMs: fields.length === 9 ? whole(fields[8]) : 0,
  };
}

function decodeLimit(value: unknown): HeldLimit {
  const fields = list(value, 12);
  const [limitId, kind, metric, scopeType, scopeId, period] = texts(fields.slice(0, 6), 6);
  const mode = fields[8];
  const valueScope = valueScopeOf(limitId);
  if (
    (valueScope === undefined && isValueCounter(limitId)) ||
    !isOneOf(LIMIT_KINDS, kind) ||
    !(metric === '' || isOneOf(QUOTA_METRICS, metric)) ||
    !isOneOf(SCOPE_TYPES, scopeType) ||
    !(period === '' || isOneOf(BUDGET_PERIODS, period)) ||
    !isOneOf(LIMIT_MODES, mode)
  ) {
    throw new RangeError('the ticket names an unknown kind of limit');
  }
  const windowSeconds = whole(fields[6]);
  const endless = valueScope !== undefined && period === '' && windowSeconds === 0;
  const windowed = kind === 'BUDGET' || kind === 'QUOTA';
  return {
    limitId,
    kind,
    metric,
    scopeType: valueScope ?? scopeType,
    scopeId,
    period: endless && windowed ? 'LIFETIME' : period,
    windowSeconds,
    limit: digits(fields[7]),
    mode,
    windowStartMs: whole(fields[9]),
    windowEndMs: whole(fields[10]),
    held: digits(fields[11]),
  };
}
