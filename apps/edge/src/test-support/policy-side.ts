// The edge's side of the policy protocol, as a process starts it.

import type { AuthorizeRequest } from '@tollgate/contracts/node';
import { createLogger, uuidv7 } from '@tollgate/kit';

import { createPolicy, type Policy, type PolicyDeps } from '../policy';
import { connectSession } from '../policy/link';

export function startPolicySide(
  over: Partial<PolicyDeps> & Pick<PolicyDeps, 'addresses' | 'spoolDirectory'>,
): Promise<Policy> {
  return createPolicy({
    sessionsPerReplica: 1,
    window: 1_024,
    recycleMs: 600_000,
    authorizeDeadlineMs: 15_000,
    queueMost: 1_000,
    queueMs: 15_000,
    settleDeadlineMs: 15_000,
    settlesMost: 1_000,
    connect: ({ address }) =>
      connectSession({ address, caller: 'edge', token: undefined, connectTimeoutMs: 2_000 }),
    log: createLogger({ service: 'edge', level: 'error', write: () => undefined }),
    onReconnect: () => undefined,
    onQueued: () => undefined,
    onQueueRefusal: () => undefined,
    nowMs: () => performance.now(),
    wallMs: () => Date.now(),
    random: () => 0.5,
    ...over,
  });
}

const client = { clientGone: false };

export const ask = (policy: Policy, requestId = uuidv7(), over: AuthorizeRequest = {}) =>
  policy.authorize({ requestId, ...over }, client);

export async function taken(policy: Policy, requestId = uuidv7()) {
  const decision = await ask(policy, requestId);
  if (!decision.allow) throw new Error('not allowed');
  return decision.hold;
}
