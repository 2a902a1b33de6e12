import {
  createPolicyClient,
  PolicyError,
  type HealthReply__Output,
  type InvalidateReply__Output,
  type InvalidateRequest,
  type PolicyApi,
  type ValidateKeyReply__Output,
} from '@tollgate/contracts/node';
import { gatewayError } from '@tollgate/contracts';
import type { GrpcChannelOptions } from '@tollgate/kit';

/** Questions that are not on a request's way, as plain calls. */
export type PolicyQuestions = {
  validateKey: (keySha256: Buffer) => Promise<ValidateKeyReply__Output>;
  health: () => Promise<HealthReply__Output>;
  /** Tells every replica that is known by an address of its own. */
  invalidate: (request: InvalidateRequest) => Promise<number>;
  close: () => void;
};

export function createPolicyQuestions(
  channels: readonly GrpcChannelOptions[],
  deadlineMs: number,
): PolicyQuestions {
  const clients = channels.map((channel) => createPolicyClient({ ...channel, deadlineMs }));

  // The first replica that answers.
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
            // One replica that was not reached would go on using what it should forget.
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

/** Whatever keeps policy from answering is the gateway's trouble, never the key's. */
export function policyAway(cause?: unknown) {
  const named = cause instanceof PolicyError ? cause.dependency : undefined;
  return gatewayError('dependency_unavailable', undefined, {
    cause,
    details: { dependency: named ?? 'policy' },
  });
}
