// How the candidates of one request are tried: by its routing policy, or by the defaults without
// one.

import { GatewayError } from '@tollgate/contracts';
import type { Allow__Output, Candidate__Output } from '@tollgate/contracts/node';

import type { UpstreamTimeouts } from '../upstream/connections';
import { UpstreamFailure, type FailureKind } from '../upstream/failure';

export interface RoutingRules {
  triggers: ReadonlySet<string>;
  /** For all attempts together, until there is something to send to the client; 0: none. */
  totalTimeoutMs: number;
  /** How often a candidate is retried before the next one, if a retry is safe. */
  retries: number;
  /** After this long without output, the next candidate is called in parallel; 0: never. */
  hedgeAfterMs: number;
  /** A routing policy applies, so each attempt is reported. */
  routed: boolean;
}

const DEFAULT_RULES: RoutingRules = {
  triggers: new Set(['5xx', 'timeout']),
  totalTimeoutMs: 0,
  retries: 0,
  hedgeAfterMs: 0,
  routed: false,
};

export function routingRulesOf({ routing }: Allow__Output): RoutingRules {
  if (!routing) return DEFAULT_RULES;
  const { triggers, totalTimeoutMs, retries, hedgeAfterMs } = routing;
  return { triggers: new Set(triggers), totalTimeoutMs, retries, hedgeAfterMs, routed: true };
}

/** Whether a failure is a reason to try the next candidate. */
export function triggersFallback({ triggers, routed }: RoutingRules, error: unknown): boolean {
  const upstream = error instanceof UpstreamFailure;
  // A bug of the gateway is no reason either.
  if (!upstream && !(error instanceof GatewayError)) return false;
  // The gateway itself ended the answer: what its rules refuse is a verdict on the request.
  if (upstream && error.own && error.outcome === 'ABORTED') return false;
  const kind: FailureKind = upstream ? error.kind : 'other';
  if (triggers.has('any')) return true;
  // Without a routing policy, rejected gateway credentials cause no fallback.
  if (kind === 'credentials') return routed && triggers.has('5xx');
  return triggers.has(kind);
}

/** The timeouts of one attempt, in milliseconds; undefined: only the connection's own apply. */
export interface AttemptTimeouts {
  connectMs: number | undefined;
  /** Until the first output of a stream, or the start of a whole answer. */
  firstTokenMs: number | undefined;
  idleMs: number | undefined;
  attemptMs: number | undefined;
}

/** The policy's timeouts that are shorter than the connection's own. */
export function timeoutsOf(
  { timeouts }: Candidate__Output,
  own: UpstreamTimeouts,
): AttemptTimeouts | undefined {
  if (!timeouts) return undefined;
  const shorter = (asked: number, bound: number): number | undefined =>
    asked > 0 && asked < bound ? asked : undefined;
  return {
    connectMs: shorter(timeouts.connectMs, own.connectMs),
    firstTokenMs: shorter(timeouts.firstTokenMs, own.totalMs),
    idleMs: shorter(timeouts.idleMs, own.idleMs),
    attemptMs: shorter(timeouts.attemptMs, own.totalMs),
  };
}

const BACKOFF_FIRST_MS = 200;
const BACKOFF_MOST_MS = 5_000;
/** A longer wait that an upstream asks for is not waited for. */
const RETRY_AFTER_MOST_MS = 30_000;

/**
 * The pause before the same candidate is retried. Undefined: no retry, because the upstream may
 * have started the work or asks for too long a wait.
 */
export function retryPauseMs(
  failure: UpstreamFailure,
  retry: number,
  random: number,
): number | undefined {
  if (!failure.repeatable) return undefined;
  const most = Math.min(BACKOFF_FIRST_MS * 2 ** retry, BACKOFF_MOST_MS);
  const asked = failure.retryAfterMs ?? 0;
  if (asked > RETRY_AFTER_MOST_MS) return undefined;
  // Never sooner than asked, with jitter so that callers do not retry at the same instant.
  return asked + most * random;
}
