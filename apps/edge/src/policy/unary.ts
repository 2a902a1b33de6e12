import {
  PolicyClient,
  type HealthReply__Output,
  type InvalidateReply__Output,
  type InvalidateRequest,
  type ValidateKeyReply__Output,
} from '@tollgate/contracts/node';
import { gatewayError } from '@tollgate/contracts';
import { callUnary, createGrpcClient, grpcChannel, type GrpcChannelOptions } from '@tollgate/kit';

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
  const clients = channels.map((channel) => createGrpcClient(PolicyClient, grpcChannel(channel)));

  // The first replica that answers.
  const first = async <T>(ask: (client: (typeof clients)[number]) => Promise<T>): Promise<T> => {
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
    validateKey: (keySha256) =>
      first((client) => callUnary(client, 'validateKey', { keySha256 }, { deadlineMs })),
    health: () => first((client) => callUnary(client, 'health', {}, { deadlineMs })),
    invalidate: async (request) => {
      const replies = await Promise.all(
        clients.map((client) =>
          callUnary(client, 'invalidate', request, { deadlineMs }).catch((cause: unknown) => {
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

export function policyAway(cause?: unknown) {
  return gatewayError('dependency_unavailable', undefined, {
    cause,
    details: { dependency: 'policy' },
  });
}
