import type { HealthReply__Output } from '@tollgate/contracts/node';
import { singleFlight } from '@tollgate/kit';

import type { PolicyStatus } from '../policy';

interface Check {
  ok: boolean;
  message?: string;
}

export interface Readiness {
  status: 'ok' | 'unavailable';
  checks: Record<string, Check>;
}

/** The policy replicas' own reports, as far as they answer. */
export interface PolicyHealth {
  replies: readonly Pick<HealthReply__Output, 'serving' | 'dependencies'>[];
  /** Why a policy replica did not answer; may contain its address. */
  failure: string;
}

/** The public names of policy's dependencies. */
const CHECK_NAMES: Readonly<Record<string, string>> = { redis: 'cache', postgres: 'database' };

/** Health is public, so policy is asked at most once in this time. */
const KEPT_MS = 1_000;

/** Asks all policy replicas in parallel; each rejects within its own deadline. */
export function createPolicyHealth(deps: {
  ask: () => Promise<PromiseSettledResult<HealthReply__Output>[]>;
  nowMs: () => number;
}): () => Promise<PolicyHealth> {
  const flight = singleFlight<PolicyHealth>();
  let kept: { atMs: number; health: PolicyHealth } | undefined;

  const look = async (): Promise<PolicyHealth> => {
    const results = await deps.ask();
    const failed = results.find((result) => result.status === 'rejected');
    const health = {
      replies: results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
      failure: failed?.reason instanceof Error ? failed.reason.message : 'away',
    };
    kept = { atMs: deps.nowMs(), health };
    return health;
  };

  return async () => {
    if (kept !== undefined && deps.nowMs() - kept.atMs < KEPT_MS) return kept.health;
    return flight('health', look);
  };
}

/** The edge's health, determined anew on each call. */
export interface EdgeHealth {
  all: () => Promise<{ ok: boolean; body: Readiness }>;
  /** Only whether it serves new requests. */
  serving: () => Promise<{ ok: boolean; body: Readiness }>;
}

export function createEdgeHealth(deps: {
  policy: () => Promise<PolicyHealth>;
  status: () => PolicyStatus;
  /** The process is shutting down and wants no new requests. */
  stopping: () => boolean;
}): EdgeHealth {
  const asked =
    (judge: typeof readiness): EdgeHealth['all'] =>
    async () => {
      const judged = judge(await deps.policy(), deps.status());
      const body = deps.stopping() ? shuttingDown(judged) : judged;
      return { ok: body.status === 'ok', body };
    };
  return { all: asked(readiness), serving: asked(serving) };
}

/**
 * The health of everything that the gateway needs, with the database and the cache as policy
 * reports them.
 */
export function readiness(policy: PolicyHealth, status: PolicyStatus): Readiness {
  return summary({ ...dependencyChecks(policy), ...servingChecks(policy, status) });
}

/** Whether this edge serves new requests, without dependencies that a running system can do without. */
export function serving(policy: PolicyHealth, status: PolicyStatus): Readiness {
  return summary(servingChecks(policy, status));
}

/** The check is in the body only while the process shuts down. */
function shuttingDown({ checks }: Readiness): Readiness {
  return summary({ ...checks, draining: { ok: false, message: 'the process is shutting down' } });
}

/** The public part: names and whether each is healthy. Messages contain addresses. */
export function withoutMessages({ status, checks }: Readiness): Readiness {
  const named = Object.entries(checks).map(([name, { ok }]) => [name, { ok }] as const);
  return { status, checks: Object.fromEntries(named) };
}

function dependencyChecks({ replies }: PolicyHealth): Record<string, Check> {
  // A serving replica knows its dependencies; others may have lost their connection to them.
  const reply = replies.find((one) => one.serving) ?? replies[0];
  if (reply === undefined) {
    const unknown = { ok: false, message: 'unknown: policy is unreachable' };
    return { database: unknown, cache: unknown };
  }
  return Object.fromEntries(
    reply.dependencies.map(({ name, ok, message }) => [
      CHECK_NAMES[name] ?? name,
      message === '' ? { ok } : { ok, message },
    ]),
  );
}

function servingChecks(
  { replies, failure }: PolicyHealth,
  status: PolicyStatus,
): Record<string, Check> {
  const decides = replies.some((reply) => reply.serving);
  const message = replies.length === 0 ? failure : 'reachable, but cannot decide: see cache';
  return {
    policy: decides ? { ok: true } : { ok: false, message },
    sessions: { ok: status.sessionsOpen > 0 },
    settles: { ok: !status.settlesFull },
    // An edge that sheds load is healthy; removing it would overload the others.
    admission: { ok: true, ...queueMessage(status) },
  };
}

function queueMessage({ waiting, inFlight, inFlightLimit }: PolicyStatus): Pick<Check, 'message'> {
  if (waiting === 0) return {};
  return { message: `${waiting} requests wait, ${inFlight} of ${inFlightLimit} are being decided` };
}

function summary(checks: Record<string, Check>): Readiness {
  const ok = Object.values(checks).every((check) => check.ok);
  return { status: ok ? 'ok' : 'unavailable', checks };
}
