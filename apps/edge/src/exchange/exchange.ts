import type { IncomingMessage } from 'node:http';
import {
  emptyUsage,
  type ErrorCode,
  type NanoUsd,
  type Outcome,
  type TokenUsage,
  type UsageQuality,
} from '@tollgate/contracts';
import type {
  Allow__Output,
  Attempt,
  Candidate__Output,
  ClaimedAttribution,
  Denial__Output,
} from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import type { Screening } from '@tollgate/screening';

import type { ClientReply } from '../client-reply';
import { FORMATS, type Format, type FormatName } from '../formats';
import type { ByteLease, JsonBody } from '../intake';
import type { Job, Received } from '../operations';
import type { Hold } from '../policy';
import { formatOf, type Route } from '../routes';
import type { Form } from '../uploads';
import type { VendorRefusal } from '../upstream/vendor-refusal';
import type { Answer } from './answer';
import type { BackgroundPlace } from './background-response';
import type { CacheUse } from './cache-use';
import { addCharges } from './charge';
import type { BodyRecord } from './kept-bodies';
import type { RequestTrace } from './request-trace';
import { uncachedCost } from './savings';
import type { Checks } from './screening';

/** An HTTP request as Express passes it, or a message of a WebSocket in the shape of one. */
export type ClientRequest = IncomingMessage & {
  params: Record<string, string | string[]>;
  message?: ReceivedMessage;
};

/** The body of a request that came as a message. */
export interface ReceivedMessage {
  /** Memory taken by the message; released when the request ends. */
  lease: ByteLease;
  /** @throws GatewayError what is wrong with the message */
  body: () => JsonBody;
}

/** What a request costs, and how reliable that figure is. */
export interface Charge {
  usage: TokenUsage;
  /** Units billed beside tokens, keyed by unit. */
  units: Record<string, string>;
  quality: UsageQuality;
  costNanoUsd: NanoUsd;
  /** The processing tiers of its cost, such as `fast, us`; empty: standard processing. */
  serviceTier: string;
}

/** How a request ended. Starts as a failure and is updated as the request proceeds. */
export type Ending = Charge & {
  outcome: Outcome;
  /** The status sent to the client; 0 until one is sent. */
  httpStatus: number;
  errorCode: ErrorCode | '';
  stopReason: string;
  responseId: string;
  /** Ids of the output items of the response. */
  itemIds: readonly string[];
  upstreamRequestId: string;
  /** From the arrival of the request to its first token; 0: no token was sent. */
  firstTokenMs: number;
  /** The candidate that answered. */
  candidate: Candidate__Output | undefined;
  /** What the answer would have cost without routing; empty: not routed, or unknown. */
  firstChoiceCostNanoUsd: string;
};

/** Whose request a shadow repeats, and for which experiment. */
export interface ShadowOf {
  readonly experimentId: string;
  readonly requestId: string;
  /** The client's. */
  readonly apiKeyId: string;
}

/**
 * The state of one request. Each step adds what it learns and returns the exchange as the next
 * phase. A request may end in any phase, so `settle` reads only the fields that are set.
 */
export interface Exchange {
  /** Of its hold and its record. It changes once if a plugin chooses another model. */
  requestId: string;
  /**
   * The caller's own id, used only for search. Empty if the caller sent none, or one with
   * unprintable characters.
   */
  readonly clientRequestId: string;
  readonly route: Route;
  readonly formatName: FormatName;
  readonly format: Format;
  readonly req: ClientRequest;
  readonly res: ClientReply;
  /** Monotonic milliseconds. */
  readonly startedMs: number;
  /** The trace that the request belongs to; empty: none. */
  traceId: string;
  /** Undefined: the request is not traced. */
  trace: RequestTrace | undefined;
  /** Set when the key was read. */
  keySha256: Buffer | undefined;
  job: Job | undefined;
  /** The body, until it is known whether it must be screened. */
  received: Received | undefined;
  /** Absent: the request is a client's own. */
  shadow?: ShadowOf;
  /** Undefined: no screening policy applies. */
  screening: Screening | undefined;
  /** The model that a plugin chose in place of the requested one. Undefined: none did. */
  chosenModel: string | undefined;
  /** Asks services about texts. Undefined: no rule does. */
  checks: Checks | undefined;
  /** Checks of the request that run beside the upstream call; the answer waits for them. */
  withholding: Promise<void> | undefined;
  /** Monotonic milliseconds: when a withheld answer went to the client. Undefined: none was withheld. */
  withheldUntilMs: number | undefined;
  /** Checks that refuse nothing; only the record waits for them. */
  observing: Promise<unknown> | undefined;
  /** Memory taken by the body; released when the request ends. */
  lease: ByteLease | undefined;
  /** The body is large, so the upstream body is serialised off the event loop. */
  offLoop: boolean;
  /** Memory taken by buffered answers; released when the request ends. */
  answerLease: ByteLease | undefined;
  /** Memory for a kept answer that is recorded or sent again. */
  keptLease: ByteLease | undefined;
  /** The place of a response in the background; released when the request ends. */
  backgroundPlace: BackgroundPlace | undefined;
  /** The received form; its files are deleted when the request ends. */
  form: Form | undefined;
  allow: Allow__Output | undefined;
  /** Policy's refusal, which is already known there. */
  denial: Denial__Output | undefined;
  hold: Hold | undefined;
  /** Whom the client names as the one behind the request. Undefined: nobody. */
  claimed: ClaimedAttribution | undefined;
  /** The conversation, for the choice of candidates and of a provider's keys. Undefined: none. */
  affinity: Buffer | undefined;
  /** The conversation even if its prompt is too short to be cached: experiments assign arms by it. */
  conversation: Buffer | undefined;
  /** What it has to do with the response cache. Undefined: nothing. */
  cache: CacheUse | undefined;
  /** Its bodies, for organisations that keep them. Undefined: they are not kept. */
  keptBodies: BodyRecord | undefined;
  /** An upstream may bill for this request, or the gateway answered it itself. */
  used: boolean;
  attempts: Attempt[];
  answer: Answer | undefined;
  /** The vendor's own error, sent to the client instead of the gateway's. */
  vendorRefusal: VendorRefusal | undefined;
  /** The cost of attempts that did not produce the answer. */
  sideCharge: Charge | undefined;
  ending: Ending;
  /** The client closed the connection before its answer was complete. */
  clientGone: boolean;
  /** Stops the work for a client that has disconnected. */
  onClientGone: (() => void) | undefined;
}

/** The key is read and the body is decoded. */
export type DecodedExchange = Exchange & { keySha256: Buffer; job: Job };

/** Policy allowed the request and holds its maximum cost. */
export type AuthorisedExchange = DecodedExchange & { allow: Allow__Output; hold: Hold };

/** An upstream, or the gateway itself, has an answer to send. */
export type AnsweredExchange = AuthorisedExchange & { answer: Answer };

const NO_ITEMS: readonly string[] = [];

export function openExchange(
  route: Route,
  req: ClientRequest,
  res: ClientReply,
  startedMs: number,
): Exchange {
  const formatName = formatOf(route, req.url ?? '');
  const exchange: Exchange = {
    requestId: uuidv7(),
    clientRequestId: clientRequestId(req.headers['x-request-id']),
    route,
    formatName,
    format: FORMATS[formatName],
    req,
    res,
    startedMs,
    traceId: '',
    trace: undefined,
    keySha256: undefined,
    job: undefined,
    received: undefined,
    screening: undefined,
    chosenModel: undefined,
    checks: undefined,
    withholding: undefined,
    withheldUntilMs: undefined,
    observing: undefined,
    lease: undefined,
    offLoop: false,
    answerLease: undefined,
    keptLease: undefined,
    backgroundPlace: undefined,
    form: undefined,
    allow: undefined,
    denial: undefined,
    hold: undefined,
    claimed: undefined,
    affinity: undefined,
    conversation: undefined,
    cache: undefined,
    keptBodies: undefined,
    used: false,
    attempts: [],
    answer: undefined,
    vendorRefusal: undefined,
    sideCharge: undefined,
    ending: openEnding(),
    clientGone: false,
    onClientGone: undefined,
  };
  res.on('close', () => {
    if (res.writableFinished) return;
    exchange.clientGone = true;
    exchange.onClientGone?.();
  });
  return exchange;
}

function openEnding(): Ending {
  return {
    outcome: 'FAILED',
    usage: emptyUsage(),
    units: {},
    quality: 'EXACT',
    costNanoUsd: 0n,
    serviceTier: '',
    httpStatus: 0,
    errorCode: '',
    stopReason: '',
    responseId: '',
    itemIds: NO_ITEMS,
    upstreamRequestId: '',
    firstTokenMs: 0,
    candidate: undefined,
    firstChoiceCostNanoUsd: '',
  };
}

/** Records the cost of an attempt whose answer does not reach the client. */
export function bookSideCharge(
  exchange: Exchange,
  attempt: Attempt,
  candidate: Candidate__Output,
  charge: Charge,
): void {
  bookAttempt(attempt, candidate, charge);
  const { sideCharge } = exchange;
  exchange.sideCharge = sideCharge ? addCharges(sideCharge, charge) : charge;
}

/** Records the cost of one attempt, at its own candidate's price. */
export function bookAttempt(attempt: Attempt, { price }: Candidate__Output, charge: Charge): void {
  attempt.usage = charge.usage;
  attempt.costNanoUsd = charge.costNanoUsd.toString();
  attempt.uncachedCostNanoUsd = uncachedCost(price, charge);
  attempt.priceId = price?.priceId ?? '';
  attempt.serviceTier = charge.serviceTier;
}

/** Limit of a model name in the record. */
const MODEL_CHARACTERS = 256;

/** Records the model name from the answer, which may be more specific than the requested one. */
export function noteModel(attempt: Attempt, model: string | undefined): void {
  if (model) attempt.upstreamModel = model.slice(0, MODEL_CHARACTERS);
}

/** The total cost of a request: its answer and its other attempts. */
export function totalOf({ sideCharge, ending }: Exchange): Charge {
  return sideCharge ? addCharges(ending, sideCharge) : ending;
}

const PRINTABLE = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;

/** Empty if the header is absent, or has unprintable characters. */
export function clientRequestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && PRINTABLE.test(header) ? header : '';
}
