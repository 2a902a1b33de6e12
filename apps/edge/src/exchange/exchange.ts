import type { IncomingMessage, ServerResponse } from 'node:http';
import { emptyUsage } from '@tollgate/contracts';
import type { ErrorCode, NanoUsd, Outcome, TokenUsage, UsageQuality } from '@tollgate/contracts';
import type { Allow__Output, Attempt, Candidate__Output } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import { FORMATS, type Format, type FormatName } from '../formats';
import type { Job } from '../operations';
import type { ByteLease } from '../intake';
import type { Hold } from '../policy';
import { formatOf, type Route } from '../routes';
import type { Form } from '../uploads';
import type { VendorRefusal } from '../upstream/vendor-refusal';
import type { Answer } from './answer';
import { addCharges } from './charge';

/** An HTTP request as Express hands it over. */
export type ClientRequest = IncomingMessage & { params: Record<string, string | string[]> };

/** What is charged for a request, and how sure it is. */
export type Charge = {
  usage: TokenUsage;
  /** Billed beside tokens, by unit. */
  units: Record<string, string>;
  quality: UsageQuality;
  costNanoUsd: NanoUsd;
};

/** How a request ends. Starts as the worst and is corrected by what happens. */
export type Ending = Charge & {
  outcome: Outcome;
  /** What the client was answered; 0 until it was. */
  httpStatus: number;
  errorCode: ErrorCode | '';
  stopReason: string;
  responseId: string;
  upstreamRequestId: string;
  /** From the arrival of the request to its first token; 0: none came. */
  firstTokenMs: number;
  /** Who answered. */
  candidate: Candidate__Output | undefined;
};

/**
 * One request on its way. Steps add what they learn and return it as the phase it has reached; `settle`
 * reads whatever there is, since a request may end in any phase.
 */
export type Exchange = {
  readonly requestId: string;
  /** The caller's own id, for search only; empty when it sent none that is printable. */
  readonly clientRequestId: string;
  readonly route: Route;
  readonly formatName: FormatName;
  readonly format: Format;
  readonly req: ClientRequest;
  readonly res: ServerResponse;
  /** Monotonic milliseconds. */
  readonly startedMs: number;
  /** Once it was read. */
  keySha256: Buffer | undefined;
  job: Job | undefined;
  /** What its body takes in memory, given back at the end. */
  lease: ByteLease | undefined;
  /** Its body is so large that what is made of it is written off the event loop. */
  offLoop: boolean;
  /** What answers take in memory that are read whole, given back at the end. */
  answerLease: ByteLease | undefined;
  /** What a form is kept in, to be freed at the end. */
  form: Form | undefined;
  allow: Allow__Output | undefined;
  /** Policy has refused it, and knows so. */
  denied: boolean;
  hold: Hold | undefined;
  /** Something was sent to an upstream, which may bill it, or the gateway has answered itself. */
  used: boolean;
  attempts: Attempt[];
  answer: Answer | undefined;
  /** What the client is answered instead of the gateway's own error. */
  vendorRefusal: VendorRefusal | undefined;
  /** What attempts have cost that are not the answer. */
  sideCharge: Charge | undefined;
  ending: Ending;
  /** The connection of the client closed before its answer was complete. */
  clientGone: boolean;
  /** Ends what the gateway is doing for the client. */
  onClientGone: (() => void) | undefined;
};

/** The key was read and the body decoded: what is asked for is known. */
export type DecodedExchange = Exchange & { keySha256: Buffer; job: Job };

/** Policy has allowed it, and everything it may cost is held. */
export type AuthorisedExchange = DecodedExchange & { allow: Allow__Output; hold: Hold };

/** An upstream, or the gateway itself, has something to send. */
export type AnsweredExchange = AuthorisedExchange & { answer: Answer };

export function openExchange(
  route: Route,
  req: ClientRequest,
  res: ServerResponse,
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
    keySha256: undefined,
    job: undefined,
    lease: undefined,
    offLoop: false,
    answerLease: undefined,
    form: undefined,
    allow: undefined,
    denied: false,
    hold: undefined,
    used: false,
    attempts: [],
    answer: undefined,
    vendorRefusal: undefined,
    sideCharge: undefined,
    ending: {
      outcome: 'FAILED',
      usage: emptyUsage(),
      units: {},
      quality: 'EXACT',
      costNanoUsd: 0n,
      httpStatus: 0,
      errorCode: '',
      stopReason: '',
      responseId: '',
      upstreamRequestId: '',
      firstTokenMs: 0,
      candidate: undefined,
    },
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

/** Notes what an attempt has cost whose answer, if it had one, the client does not get. */
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

/** What one attempt has cost, by its own candidate's price. */
export function bookAttempt(attempt: Attempt, { price }: Candidate__Output, charge: Charge): void {
  attempt.usage = charge.usage;
  attempt.costNanoUsd = charge.costNanoUsd.toString();
  attempt.priceId = price?.priceId ?? '';
}

/** Longer names are nobody's. */
const MODEL_CHARACTERS = 256;

/** Notes the model as its answer names it, which may be more exact than what was asked for. */
export function noteModel(attempt: Attempt, model: string | undefined): void {
  if (model) attempt.upstreamModel = model.slice(0, MODEL_CHARACTERS);
}

/** What a request has cost: its answer, and what was tried beside it. */
export function totalOf({ sideCharge, ending }: Exchange): Charge {
  const { usage, units, quality, costNanoUsd } = ending;
  const answer = { usage, units, quality, costNanoUsd };
  return sideCharge ? addCharges(answer, sideCharge) : answer;
}

const PRINTABLE = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;

function clientRequestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && PRINTABLE.test(header) ? header : '';
}
