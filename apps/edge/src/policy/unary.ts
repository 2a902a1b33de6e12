import { gatewayError } from '@tollgate/contracts';
import {
  createPolicyClient,
  PolicyError,
  type HealthReply__Output,
  type InvalidateReply__Output,
  type InvalidateRequest,
  type PolicyApi,
  type ValidateKeyReply__Output,
} from '@tollgate/contracts/node';
import type { GrpcChannelOptions } from '@tollgate/kit';

/** Requests to policy outside the path of a model request, as unary calls. */
export interface PolicyQuestions {
  validateKey: (keySha256: Buffer) => Promise<ValidateKeyReply__Output>;
  health: () => Promise<HealthReply__Output>;
  /** Invalidates on every replica that has its own address. */
  invalidate: (request: InvalidateRequest) => Promise<number>;
  close: () => void;
}

export function createPolicyQuestions(
  channels: readonly GrpcChannelOptions[],
  deadlineMs: number,
): PolicyQuestions {
  const clients = channels.map((channel) => createPolicyClient({ ...channel, deadlineMs }));

  // Returns the first reply of any replica.
  const first = async <T>(ask: (client: PolicyApi) => Promise<T>): Promise<T> => {
    let cause: unknown;
    for (const client of clients) {
      try {
        return await ask(client);
      } catch (error) {
        cause = error;
      }
    }
    throw policyAway(cause);
  };

  return {
    validateKey: (keySha256) => first((client) => client.validateKey({ keySha256 })),
    health: () => first((client) => client.health()),
    invalidate: async (request) => {
      const replies = await Promise.all(
        clients.map((client) =>
          client.invalidate(request).catch((cause: unknown) => {
            // A replica that was not reached would keep using stale data.
            throw policyAway(cause);
          }),
        ),
      );
      return replies.reduce((sum, reply: InvalidateReply__Output) => sum + reply.dropped, 0);
    },
    close: () => {
      for (const client of clients) client.close();
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
