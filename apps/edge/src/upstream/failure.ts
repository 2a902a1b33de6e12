import { gatewayError, type GatewayError } from '@tollgate/contracts';
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
  /** Larger than the operator allows. */
  | 'TOO_LARGE'
  /** More output than the bound that the upstream was told. */
  | 'OVERLONG'
  | 'UPSTREAM_ERROR';

/** What a routing policy tells failures apart by. `other`: a refusal of the request itself. */
export type FailureKind = '5xx' | 'timeout' | 'rate_limit' | 'credentials' | 'other';

export type FailureFacts = {
  /** False: the request has certainly not reached the upstream, which can have billed nothing. */
  sent?: boolean;
  /** The status of an answered refusal. */
  status?: number;
  /** How long the upstream asks to be left alone. */
  retryAfterMs?: number | undefined;
  /** A limit of the operator's ended an answer that was coming. */
  own?: boolean;
};

/** An attempt that brought no usable answer, and what the client is told of it. */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  readonly sent: boolean;
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  /** The upstream was at work, and has done nothing wrong: the operator allows no more. */
  readonly own: boolean;
  /** The upstream had begun an answer, or was not let finish one, and so may bill it. */
  answered = false;
  /** The refusal as the vendor wrote it, where the client may have it. */
  vendor: VendorRefusal | undefined;
  /** The error event as the vendor wrote it, framed for the client that may have it. */
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

  /** The same, with another error for the client. */
  telling(error: GatewayError): UpstreamFailure {
    const { outcome, own, retryAfterMs, sent, status } = this;
    const told = new UpstreamFailure(outcome, error, { own, retryAfterMs, sent, status });
    told.answered = this.answered;
    told.vendor = this.vendor;
    told.vendorEvent = this.vendorEvent;
    return told;
  }

  /** Refused and reset connections, and answers that break off or are none, count as `5xx`. */
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

  /** Whether the same call may be made again without a risk of being billed twice. */
  get repeatable(): boolean {
    return !this.sent || REFUSED_UNTOUCHED.has(this.status);
  }
}

/** The upstream says that it has not begun the work: too many calls, or none taken at the moment. */
const REFUSED_UNTOUCHED: ReadonlySet<number> = new Set([429, 503, 529]);

export function timedOut(what: string, facts: FailureFacts = {}): UpstreamFailure {
  return new UpstreamFailure(
    'TIMEOUT',
    gatewayError('upstream_timeout', `The provider did not answer in time (${what}).`),
    facts,
  );
}

export function aborted(): UpstreamFailure {
  return new UpstreamFailure('ABORTED', gatewayError('upstream_error', 'The call was given up.'));
}

export function tooLarge(limitBytes: number): UpstreamFailure {
  const text = `The provider's answer is larger than ${limitBytes} bytes.`;
  return new UpstreamFailure('TOO_LARGE', gatewayError('upstream_error', text), { own: true });
}

/** The answer is whole, but unfolds to more than the gateway builds. */
export function unfoldsTooFar(what: string): UpstreamFailure {
  const text = `The provider's answer holds ${what}.`;
  return new UpstreamFailure('TOO_LARGE', gatewayError('upstream_error', text), { own: true });
}

/** Other answers have taken the room that there is for those that are read whole. */
export function noRoom(): UpstreamFailure {
  const error = gatewayError(
    'overloaded',
    'The gateway holds as many large answers as it can right now. Send the request again in a second.',
    { retryAfterMs: 1_000, details: { resource: 'answers' } },
  );
  return new UpstreamFailure('TOO_LARGE', error, { own: true });
}

export function garbled(text: string): UpstreamFailure {
  return new UpstreamFailure('INVALID_RESPONSE', gatewayError('upstream_error', text));
}

/** undici's error codes, told apart by what the client should hear. */
const TIMEOUTS: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connecting',
  UND_ERR_HEADERS_TIMEOUT: 'first byte',
  UND_ERR_BODY_TIMEOUT: 'silence within the answer',
  ETIMEDOUT: 'network',
};

/** undici's codes of answers that cannot be read. */
const UNREADABLE: Readonly<Record<string, string>> = {
  UND_ERR_HEADERS_OVERFLOW: "The headers of the provider's answer are too large.",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "The provider's answer is not as long as it says.",
};

/** How far a call had come when it broke. */
export type CallStage = 'connecting' | 'sent' | 'answering';

/** Messages of the network stay out of the answer: they name addresses. */
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
  const told = gatewayError('upstream_error', text, { cause: error });
  return new UpstreamFailure(began ? 'EARLY_END' : 'NETWORK', told, facts);
}
