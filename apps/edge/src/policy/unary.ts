import { gatewayError } from '@tollgate/contracts';
import {
  createPolicyClient,
  PolicyError,
  type AuthorizeRequest,
  type DryRunReply__Output,
  type HealthReply__Output,
  type InvalidateReply__Output,
  type InvalidateRequest,
  type PolicyApi,
  type ValidateKeyReply__Output,
} from '@tollgate/contracts/node';
import type { GrpcChannelOptions } from '@tollgate/kit';

import type { Replica } from './replicas';

/** Requests to policy outside the path of a model request, as unary calls. */
export interface PolicyQuestions {
  /** What policy would decide. A policy of the previous release cannot say. */
  dryRun: (request: AuthorizeRequest) => Promise<DryRunReply__Output>;
  validateKey: (keySha256: Buffer) => Promise<ValidateKeyReply__Output>;
  /** Each replica's own report, or why there is none. */
  health: () => Promise<PromiseSettledResult<HealthReply__Output>[]>;
  /** Invalidates on every known replica. */
  invalidate: (request: InvalidateRequest) => Promise<number>;
  close: () => void;
}

export interface PolicyQuestionsDeps {
  replicas: () => readonly Replica[];
  channel: (replica: Replica) => GrpcChannelOptions;
  deadlineMs: number;
}

export function createPolicyQuestions(deps: PolicyQuestionsDeps): PolicyQuestions {
  const open = new Map<string, PolicyApi>();

  // One client per replica, for as long as the replica is known.
  const clients = (): readonly PolicyApi[] => {
    const replicas = deps.replicas();
    const known = new Set(replicas.map(({ address }) => address));
    for (const [address, client] of open) {
      if (known.has(address)) continue;
      open.delete(address);
      client.close();
    }
    return replicas.map((replica) => {
      const client =
        open.get(replica.address) ??
        createPolicyClient({ ...deps.channel(replica), deadlineMs: deps.deadlineMs });
      open.set(replica.address, client);
      return client;
    });
  };

  // Returns the first reply of any replica.
  const first = async <T>(ask: (client: PolicyApi) => Promise<T>): Promise<T> => {
    let cause: unknown;
    for (const client of clients()) {
      try {
        return await ask(client);
      } catch (error) {
        cause = error;
      }
    }
    throw policyAway(cause);
  };

  return {
    dryRun: (request) => first((client) => client.dryRun(request)),
    validateKey: (keySha256) => first((client) => client.validateKey({ keySha256 })),
    health: () => Promise.allSettled(clients().map((client) => client.health())),
    invalidate: async (request) => {
      const asked = clients();
      if (asked.length === 0) throw policyAway();
      const replies = await Promise.all(
        asked.map((client) =>
          client.invalidate(request).catch((cause: unknown) => {
            // A replica that was not reached would keep using stale data.
            throw policyAway(cause);
          }),
        ),
      );
      return replies.reduce((sum, reply: InvalidateReply__Output) => sum + reply.dropped, 0);
    },
    close: () => {
      for (const client of open.values()) client.close();
      open.clear();
    },
  };
}

/** If policy cannot answer, the gateway is at fault, not the key. */
export function policyAway(cause?: unknown) {
  const named = cause instanceof PolicyError ? cause.dependency : undefined;
  return gatewayError('dependency_unavailable', undefined, {
    cause,
    details: { dependency: named ?? 'policy' },
  });
}
