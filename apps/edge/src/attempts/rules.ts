// How the candidates of one request are tried: what its routing policy says, or what holds without one.

import { GatewayError } from '@tollgate/contracts';
import type { Allow__Output, Candidate__Output } from '@tollgate/contracts/node';
import type { UpstreamTimeouts } from '../upstream/connections';
import { UpstreamFailure, type FailureKind } from '../upstream/failure';

export type RoutingRules = {
  triggers: ReadonlySet<string>;
  /** Over all attempts, until there is something to send to the client; 0: none. */
  totalTimeoutMs: number;
  /** How often one candidate is called again before the next, where that is safe. */
  retries: number;
  /** The next candidate is called beside a silent first one after this long; 0: never. */
  hedgeAfterMs: number;
  /** There is a routing policy, which is told how each attempt went. */
  routed: boolean;
};

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

/** Whether a failure of one candidate is a reason to try the next. */
export function triggersFallback({ triggers, routed }: RoutingRules, error: unknown): boolean {
  const upstream = error instanceof UpstreamFailure;
  // Nor is a mistake of the gateway's own one.
  if (!upstream && !(error instanceof GatewayError)) return false;
  const kind: FailureKind = upstream ? error.kind : 'other';
  if (triggers.has('any')) return true;
  // Without a policy the gateway's own credentials are no reason to ask elsewhere.
  if (kind === 'credentials') return routed && triggers.has('5xx');
  return triggers.has(kind);
}

/** The times of one attempt, in milliseconds; undefined: only the connection's own hold. */
export type AttemptTimeouts = {
  connectMs: number | undefined;
  /** Until the first output of a stream, or the beginning of a whole answer. */
  firstTokenMs: number | undefined;
  idleMs: number | undefined;
  attemptMs: number | undefined;
};

/** Of the policy's times those that are shorter than the connection's own. */
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
/** An upstream that asks for more than this is not waited for. */
const RETRY_AFTER_MOST_MS = 30_000;

/**
 * How long to wait before the same candidate is called again; undefined: it is not, since the upstream
 * may have begun to work, or asks for too long a wait.
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
  // Never sooner than asked, and not all callers at the same instant.
  return asked + most * random;
}
