import {
  GatewayError,
  gatewayError,
  type TierWords,
  type TokenUsage,
  type Units,
} from '@tollgate/contracts';

import type { VendorRefusal } from './vendor-refusal';

/** How an attempt ended, in the words of its record. An answered refusal is `HTTP_<status>`. */
export type AttemptOutcome =
  | 'OK'
  | `HTTP_${number}`
  | 'TIMEOUT'
  | 'NETWORK'
  | 'EARLY_END'
  | 'ABORTED'
  | 'INVALID_RESPONSE'
  /** The answer is larger than the operator allows. */
  | 'TOO_LARGE'
  /** The answer has more output than the bound that was sent upstream. */
  | 'OVERLONG'
  | 'UPSTREAM_ERROR';

/** The kinds of failure that a routing policy distinguishes. `other`: the request itself was refused. */
export type FailureKind = '5xx' | 'timeout' | 'rate_limit' | 'credentials' | 'other';

export interface FailureFacts {
  /** False: the request certainly never reached the upstream, which cannot have billed it. */
  sent?: boolean;
  /** The status of an answered refusal. */
  status?: number;
  /** The wait that the upstream asks for. */
  retryAfterMs?: number | undefined;
  /** A limit set by the operator ended an answer that was arriving. */
  own?: boolean;
}

export interface AnswerConsumption {
  /** Absent: the upstream reported none. */
  usage?: TokenUsage;
  units?: Units;
  /** The units are the gateway's estimate, which is not charged. */
  unitsEstimated?: boolean;
  /** The processing tiers that the answer reports. */
  tiers?: TierWords;
}

/** An attempt without a usable answer, and the error for the client. */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  readonly sent: boolean;
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  /** A limit set by the operator ended the answer; the upstream is not at fault. */
  readonly own: boolean;
  /** The upstream started an answer, or was stopped while it worked, so it may bill the call. */
  answered = false;
  /** What an answer consumed that is complete and says that it failed. */
  consumed: AnswerConsumption | undefined;
  /** The vendor's own refusal, if the client may read it. */
  vendor: VendorRefusal | undefined;
  /** The vendor's own error event, framed for the client, if it may read it. */
  vendorEvent: string | undefined;

  constructor(
    readonly outcome: AttemptOutcome,
    readonly error: GatewayError,
    { sent = true, status = 0, retryAfterMs, own = false }: FailureFacts = {},
  ) {
    super(error.message, { cause: error });
    this.sent = sent;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.own = own;
  }

  /** Copies the failure with another error for the client. */
  withError(error: GatewayError): UpstreamFailure {
    const { outcome, own, retryAfterMs, sent, status } = this;
    const failure = new UpstreamFailure(outcome, error, { own, retryAfterMs, sent, status });
    failure.answered = this.answered;
    failure.consumed = this.consumed;
    failure.vendor = this.vendor;
    failure.vendorEvent = this.vendorEvent;
    return failure;
  }

  /** Refused or reset connections, cut answers and invalid answers count as `5xx`. */
  get kind(): FailureKind {
    if (this.outcome === 'ABORTED') return 'other';
    if (this.outcome === 'NETWORK') return '5xx';
    switch (this.error.code) {
      case 'upstream_error':
        return '5xx';
      case 'upstream_timeout':
        return 'timeout';
      case 'upstream_rate_limited':
        return 'rate_limit';
      case 'provider_auth_failed':
        return 'credentials';
      default:
        return 'other';
    }
  }

  /** Whether the call can be retried without the risk of a second bill. */
  get repeatable(): boolean {
    return !this.sent || REFUSED_UNTOUCHED.has(this.status);
  }
}

/** Statuses by which an upstream says that it did not start the work. */
const REFUSED_UNTOUCHED: ReadonlySet<number> = new Set([429, 503, 529]);

export function timedOut(what: string, facts: FailureFacts = {}): UpstreamFailure {
  return new UpstreamFailure(
    'TIMEOUT',
    gatewayError('upstream_timeout', `The provider did not answer in time (${what}).`),
    facts,
  );
}

export function aborted(): UpstreamFailure {
  return new UpstreamFailure('ABORTED', gatewayError('upstream_error', 'The call was aborted.'));
}

export function tooLarge(limitBytes: number): UpstreamFailure {
  const text = `The provider's answer is larger than ${limitBytes} bytes.`;
  return new UpstreamFailure('TOO_LARGE', gatewayError('upstream_error', text), { own: true });
}

/** The answer is complete, but expands to more than the gateway's limits allow. */
export function unfoldsTooFar(what: string): UpstreamFailure {
  const text = `The provider's answer contains ${what}.`;
  return new UpstreamFailure('TOO_LARGE', gatewayError('upstream_error', text), { own: true });
}

/** The memory budget for buffered answers is used up. */
export function noRoom(): UpstreamFailure {
  const error = gatewayError(
    'overloaded',
    "The gateway's memory for large answers is full. Retry in a second.",
    { retryAfterMs: 1_000, details: { resource: 'answers' } },
  );
  return new UpstreamFailure('TOO_LARGE', error, { own: true });
}

export function garbled(text: string): UpstreamFailure {
  return new UpstreamFailure('INVALID_RESPONSE', gatewayError('upstream_error', text));
}

/** undici's timeout codes, and the phase that the client's error names. */
const TIMEOUTS: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connecting',
  UND_ERR_HEADERS_TIMEOUT: 'first byte',
  UND_ERR_BODY_TIMEOUT: 'silence within the answer',
  ETIMEDOUT: 'network',
};

/** undici's codes of unreadable answers, and the client's error text. */
const UNREADABLE: Readonly<Record<string, string>> = {
  UND_ERR_HEADERS_OVERFLOW: "The headers of the provider's answer are too large.",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "The provider's answer is not as long as it says.",
};

/** The phase in which a call broke. */
export type CallStage = 'connecting' | 'sent' | 'answering';

/** Network error messages name addresses, so they are kept from the client. */
export function networkFailure(error: unknown, stage: CallStage): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  const cause = error as { code?: string; cause?: unknown };
  if (cause.cause instanceof UpstreamFailure) return cause.cause;
  const facts = { sent: stage !== 'connecting' };
  const timeout = TIMEOUTS[cause.code ?? ''];
  if (timeout !== undefined) return timedOut(timeout, facts);
  const unreadable = UNREADABLE[cause.code ?? ''];
  if (unreadable !== undefined) return garbled(unreadable);
  const began = stage === 'answering';
  const text = began ? 'The provider broke off its answer.' : 'The provider could not be reached.';
  const clientError = gatewayError('upstream_error', text, { cause: error });
  return new UpstreamFailure(began ? 'EARLY_END' : 'NETWORK', clientError, facts);
}

/** What is wrong with an answer that has been read so far; undefined: nothing. */
export function faultOf({
  report,
}: {
  readonly report: {
    readonly fault?: AttemptOutcome | undefined;
    readonly error?: GatewayError | undefined;
  };
}): UpstreamFailure | undefined {
  const { error, fault } = report;
  // Only the gateway itself aborts an answer.
  return fault && error
    ? new UpstreamFailure(fault, error, { own: fault === 'ABORTED' })
    : undefined;
}

/** A rule that refuses the answer, or a fault of our own, ends the stream. */
export function stoppedBy(error: unknown): UpstreamFailure {
  const told = error instanceof GatewayError ? error : gatewayError('internal_error');
  return new UpstreamFailure('ABORTED', told, { own: true });
}
