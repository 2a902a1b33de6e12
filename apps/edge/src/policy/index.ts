// The edge's side of the policy protocol: sessions with batched frames, settles that are kept until
// they are booked, and holds whose leases are renewed while their requests run. Nothing here knows
// HTTP or a provider.

import { gatewayError, shardOf } from '@tollgate/contracts';
import type {
  Allow__Output,
  AttemptReport,
  AuthorizeRequest,
  ConfirmKeyReply__Output,
  ConfirmKeyRequest,
  Denial__Output,
  McpTarget__Output,
  RefusalReport,
  SettleRequest,
} from '@tollgate/contracts/node';

import type { AdmissionStatus } from './admission';
import { createConfirmedKeys } from './confirmed-keys';
import type { Grown, Hold } from './hold';
import { AWAY, tooBusy, type Answer, type Reply } from './item';
import { createParts, replay, stopParts, type Parts, type PolicyDeps } from './parts';
import type { Replica } from './replicas';
import type { SettleKeeper } from './settles';

export type { ExtendOutcome, Grown, Hold } from './hold';
export type { PolicyDeps } from './parts';
export type { Replica } from './replicas';

export interface Policy {
  /**
   * Waits while policy is at capacity, then renews the hold of an allowed request until it is settled or released.
   * `client`: who waits for the answer.
   * @throws GatewayError `dependency_unavailable`, `overloaded`
   */
  authorize: (request: AuthorizeRequest, client: Client) => Promise<Decision>;
  /**
   * Whether a large body may be read for this key; authorize still decides. Synchronous for a
   * recently confirmed key.
   * @throws GatewayError `dependency_unavailable`
   */
  confirmKey: (keySha256: Buffer) => boolean | Promise<boolean>;
  /**
   * Whether the key may use an MCP server at this moment; never from a cache.
   * @throws GatewayError `dependency_unavailable`
   */
  confirmMcp: (keySha256: Buffer, server: string) => Promise<McpConfirmation>;
  /**
   * Gives a hold back, and waits until policy has done so. It is given back in any case.
   * @throws GatewayError `dependency_unavailable` if policy does not answer in time
   */
  release: (hold: Hold, grown: Grown) => Promise<void>;
  /** Takes over the settle of a hold; never fails. */
  settle: (hold: Hold, settle: SettleRequest) => void;
  /** Reports how an attempt went, for later choices of candidates; may be lost. */
  report: (report: AttemptReport) => void;
  /** Reports a refusal by the edge itself; may be lost. */
  refused: (report: RefusalReport) => void;
  status: () => PolicyStatus;
  /** The policy replicas that are known at this moment. */
  replicas: () => readonly Replica[];
  /** Waits until all settles are booked, at most `drainMs`; the rest is written to disk. */
  stop: (drainMs: number) => Promise<void>;
}

export type Decision =
  | { allow: Allow__Output; hold: Hold; denial?: undefined }
  | { denial: Denial__Output; allow?: undefined };

/** A waiting request is dropped if its client has left. */
export interface Client {
  readonly clientGone: boolean;
}

export interface McpConfirmation {
  valid: boolean;
  /** Undefined: the server is unknown, switched off or not granted to the key. */
  target: McpTarget__Output | undefined;
}

export type PolicyStatus = AdmissionStatus & {
  sessionsOpen: number;
  holdsInFlight: number;
  settlesQueued: number;
  settlesKept: number;
  settlesFull: boolean;
};

const SPOOL_LOOK_MS = 30_000;
/** `Retry-After` of a refusal for load. */
const RETRY_AFTER_MS = 1_000;
export async function createPolicy(deps: PolicyDeps): Promise<Policy> {
  const { log } = deps;
  const parts = await createParts(deps);
  const { pool, settles, holds, admission } = parts;
  const confirmedKeys = createConfirmedKeys({
    nowMs: deps.nowMs,
    ask: (keySha256) => askWhetherValid(parts, keySha256),
  });
  await replay(parts);
  // Another edge that shares the folder, or the one that this one replaced, may leave settles
  // later.
  const looking = setInterval(() => {
    replay(parts).catch((error: unknown) => log.error('spool', { error }));
  }, SPOOL_LOOK_MS);

  return {
    authorize: (request, client) => authorize(parts, request, client),
    confirmKey: confirmedKeys.confirm,
    confirmMcp: (keySha256, server) => confirmMcp(parts, keySha256, server),
    release: (hold, grown) => release(parts, hold, grown),
    settle: (hold, message) => settle(settles, hold, message),
    report: pool.report,
    refused: pool.refused,
    status: () => ({
      ...admission.status(),
      sessionsOpen: pool.open(),
      holdsInFlight: holds.inFlight(),
      settlesQueued: settles.queued(),
      settlesKept: settles.kept(),
      settlesFull: settles.full(),
    }),
    replicas: parts.replicas.current,
    stop: async (drainMs) => {
      clearInterval(looking);
      await stopParts(parts, drainMs);
    },
  };
}

function authorize(parts: Parts, request: AuthorizeRequest, client: Client): Promise<Decision> {
  const { deps, loopClock, pool, settles, admission } = parts;
  // With this many unbooked settles, more work would only increase what a crash can lose.
  if (settles.full()) return Promise.reject(unavailable(AWAY, 'settle queue'));
  return new Promise((resolve, reject) => {
    const proceed = (): void => {
      const askedMs = loopClock.now();
      pool.ask({ kind: 'authorize', message: request }, deps.authorizeDeadlineMs, {
        answered: (answer) => {
          if (answer.ok) admission.leave(loopClock.now() - askedMs);
          else if (tooBusy(answer.failure)) admission.leaveLate();
          else admission.leave(undefined);
          const decision = answer.ok ? decided(parts, request, answer) : undefined;
          if (decision) resolve(decision);
          else reject(unavailable(answer, 'policy'));
        },
        late: (reply) => giveBack(settles, request, reply),
      });
    };
    if (admission.enter()) proceed();
    else {
      const refuse = (): void => reject(overloaded());
      admission.wait({ key: laneOf(request), client, proceed, refuse });
    }
  });
}

// The hold is opened within the turn in which its answer arrived, because its session may end in the next.
function decided(
  { holds }: Parts,
  { requestId = '' }: AuthorizeRequest,
  { result, session }: Reply,
): Decision | undefined {
  const { allow, denial } = result.authorize ?? {};
  if (denial) return { denial };
  return allow ? { allow, hold: holds.open(requestId, allow, session) } : undefined;
}

function giveBack(
  settles: SettleKeeper,
  { requestId = '', conversationId, storedId }: AuthorizeRequest,
  { result, session }: Reply,
): void {
  const allow = result.authorize?.allow;
  if (!allow) return;
  const { addedTokens: assumedTokens, holdToken } = allow;
  const grown = { assumedTokens, conversationId: conversationId || storedId || '' };
  const shard = shardOf(allow.subject?.organisationId ?? '');
  const via = allow.floatId === '' ? undefined : session;
  settles.submit({ shard, message: { ...cancellation(requestId, holdToken), ...grown } }, { via });
}

async function askWhetherValid(parts: Parts, keySha256: Buffer): Promise<boolean> {
  const answer = await askAboutKey(parts, { keySha256 });
  const reply = replyIn(answer);
  if (reply) return reply.valid;
  // A policy of the previous release does not support this request. Authorize decides in any case.
  if (!answer.ok && answer.failure.code === 'INVALID_ARGUMENT') return true;
  throw unavailable(answer, 'policy');
}

async function confirmMcp(
  parts: Parts,
  keySha256: Buffer,
  mcpServer: string,
): Promise<McpConfirmation> {
  const answer = await askAboutKey(parts, { keySha256, mcpServer });
  const reply = replyIn(answer);
  if (!reply) throw unavailable(answer, 'policy');
  return { valid: reply.valid, target: reply.mcp ?? undefined };
}

function askAboutKey({ deps, pool }: Parts, message: ConfirmKeyRequest): Promise<Answer> {
  return new Promise((answered) => {
    const late = (): void => undefined;
    pool.ask({ kind: 'confirmKey', message }, deps.authorizeDeadlineMs, { answered, late });
  });
}

function replyIn(answer: Answer): ConfirmKeyReply__Output | undefined {
  return answer.ok ? (answer.result.confirmKey ?? undefined) : undefined;
}

function settle(settles: SettleKeeper, hold: Hold, message: SettleRequest): void {
  const submit = (): void => {
    const settled = { shard: hold.shard, message: { ...message, holdToken: hold.token() } };
    settles.submit(settled, { via: hold.session() });
  };
  // A pending extension returns the token that the settle must carry.
  const ending = hold.end();
  if (ending) void ending.then(submit);
  else submit();
}

function release({ deps, settles }: Parts, hold: Hold, grown: Grown): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(unavailable(AWAY, 'policy')), deps.authorizeDeadlineMs);
    const submit = (): void => {
      const message = { ...cancellation(hold.requestId, hold.token()), ...grown };
      const onBooked = (): void => {
        clearTimeout(late);
        resolve();
      };
      settles.submit({ shard: hold.shard, message }, { onBooked, via: hold.session() });
    };
    const ending = hold.end();
    if (ending) void ending.then(submit);
    else submit();
  });
}

function cancellation(requestId: string, holdToken: Buffer): SettleRequest {
  return { requestId, holdToken, cancelled: true };
}

/** Requests of one key share a lane. */
function laneOf({ keySha256 }: AuthorizeRequest): string {
  return Buffer.isBuffer(keySha256) ? keySha256.toString('latin1') : '';
}

function overloaded() {
  return gatewayError('overloaded', undefined, { retryAfterMs: RETRY_AFTER_MS });
}

function unavailable(answer: Answer, fallback: string) {
  const failure = answer.ok ? undefined : answer.failure;
  return gatewayError('dependency_unavailable', undefined, {
    details: { dependency: failure?.dependency || fallback },
    retryAfterMs: RETRY_AFTER_MS,
    cause: failure?.message,
  });
}
