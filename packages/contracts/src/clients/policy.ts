import { callUnary, createGrpcClient, grpcChannel, type GrpcChannelOptions } from '@tollgate/kit';

import type {
  AuthorizeReply__Output,
  AuthorizeRequest,
  DryRunReply__Output,
  ExtendReply__Output,
  ExtendRequest,
  HealthReply__Output,
  InvalidateReply__Output,
  InvalidateRequest,
  SettleReply__Output,
  SettleRequest,
  ValidateKeyReply__Output,
  ValidateKeyRequest,
} from '../generated';
import { PolicyClient } from '../protos';
import { policyErrorOf } from './policy-error';

export interface PolicyClientOptions extends Omit<GrpcChannelOptions, 'caller' | 'token'> {
  /** The caller's token; only a loopback policy without tokens accepts calls without one. */
  readonly token?: string | undefined;
  /** The name of the token in INTERNAL_TOKENS. */
  readonly caller?: string;
  /** Default deadline of a call; 2 s. */
  readonly deadlineMs?: number;
}

export interface PolicyCallOptions {
  readonly deadlineMs?: number;
  /** Aborts the call: it fails with CANCELLED. */
  readonly signal?: AbortSignal;
}

type Ask<Request, Reply> = (request: Request, options?: PolicyCallOptions) => Promise<Reply>;

/**
 * The unary methods of PolicyService, as the proto describes them. A refusal is an answer; every
 * other failure rejects with a PolicyError.
 */
export interface PolicyApi {
  readonly authorize: Ask<AuthorizeRequest, AuthorizeReply__Output>;
  readonly dryRun: Ask<AuthorizeRequest, DryRunReply__Output>;
  readonly extend: Ask<ExtendRequest, ExtendReply__Output>;
  readonly settle: Ask<SettleRequest, SettleReply__Output>;
  readonly validateKey: Ask<ValidateKeyRequest, ValidateKeyReply__Output>;
  readonly invalidate: Ask<InvalidateRequest, InvalidateReply__Output>;
  readonly health: (options?: PolicyCallOptions) => Promise<HealthReply__Output>;
  /** Running calls end with CANCELLED or UNAVAILABLE, later ones fail at once. */
  readonly close: () => void;
}

const DEADLINE_MS = 2_000;

/** One channel to policy, opened by the first call and reopened whenever it breaks. */
export function createPolicyClient(options: PolicyClientOptions): PolicyApi {
  const { caller = 'internal', deadlineMs = DEADLINE_MS, token, ...channel } = options;
  const client = createGrpcClient(PolicyClient, grpcChannel({ ...channel, token, caller }));

  const answered = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      throw policyErrorOf(error);
    }
  };
  const within = (own: PolicyCallOptions = {}) => ({ deadlineMs, ...own });

  return {
    authorize: (request, own) => answered(callUnary(client, 'authorize', request, within(own))),
    dryRun: (request, own) => answered(callUnary(client, 'dryRun', request, within(own))),
    extend: (request, own) => answered(callUnary(client, 'extend', request, within(own))),
    settle: (request, own) => answered(callUnary(client, 'settle', request, within(own))),
    validateKey: (request, own) => answered(callUnary(client, 'validateKey', request, within(own))),
    invalidate: (request, own) => answered(callUnary(client, 'invalidate', request, within(own))),
    health: (own) => answered(callUnary(client, 'health', {}, within(own))),
    close: () => client.close(),
  };
}
