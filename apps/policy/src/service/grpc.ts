import {
  DEPENDENCY_TRAILER,
  type AuthorizeRequest__Output,
  type ExtendRequest__Output,
  type HealthRequest__Output,
  type InvalidateRequest__Output,
  type SessionReply,
  type SessionRequest__Output,
  type SettleRequest__Output,
  type ValidateKeyReply,
  type ValidateKeyRequest__Output,
} from '@tollgate/contracts/node';
import {
  duplex,
  GrpcFailure,
  grpcStatus,
  unary,
  type Clock,
  type GrpcHandler,
  type Logger,
} from '@tollgate/kit';

import type { Directory } from '../directory';
import { failureOf, type Failure } from '../failure';
import type { Health } from './health';
import type { Items } from './items';
import type { PolicyMetrics } from './metrics';
import { serveSession } from './session';
import type { SessionDeps } from './session-deps';

export interface GrpcDeps extends SessionDeps {
  readonly items: Items;
  readonly validateKey: (
    request: ValidateKeyRequest__Output,
    deadlineAtMs: number,
  ) => Promise<ValidateKeyReply>;
  readonly directory: Pick<Directory, 'drop'>;
  readonly health: Health;
  readonly metrics: PolicyMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The methods of PolicyService. */
export function createHandlers(deps: GrpcDeps): Record<string, GrpcHandler> {
  const { items, clock } = deps;
  return {
    authorize: unary(async (request: AuthorizeRequest__Output, { deadlineMs, signal }) => {
      const reply = await told(items.authorize(request, clock.now() + deadlineMs));
      // The caller has timed out and will not settle this hold, unless it repeats the request.
      if (signal.aborted) items.orphan(request.requestId, reply);
      return reply;
    }),
    dryRun: unary((request: AuthorizeRequest__Output, { deadlineMs }) =>
      told(items.dryRun(request, clock.now() + deadlineMs)),
    ),
    extend: unary((request: ExtendRequest__Output, { deadlineMs }) =>
      told(items.extend(request, clock.now() + deadlineMs)),
    ),
    settle: unary((request: SettleRequest__Output, { deadlineMs }) =>
      told(items.settle(request, clock.now() + deadlineMs)),
    ),
    validateKey: unary((request: ValidateKeyRequest__Output, { deadlineMs }) =>
      told(deps.validateKey(request, clock.now() + deadlineMs)),
    ),
    invalidate: unary(async ({ organisationId, keySha256 }: InvalidateRequest__Output) => ({
      dropped: deps.directory.drop({ organisationId, keySha256 }),
    })),
    health: unary((_request: HealthRequest__Output) => deps.health.report()),
    session: duplex<SessionRequest__Output, SessionReply>((call, { draining }) => {
      deps.metrics.sessions(1);
      call.once('close', () => deps.metrics.sessions(-1));
      const fail = (failure: Failure): void => {
        call.emit('error', grpcFailure(failure));
      };
      serveSession(
        {
          on: call.on.bind(call),
          write: (frame) => call.write(frame),
          end: () => call.end(),
          fail,
        },
        deps,
        draining,
      );
    }),
  };
}

async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const failure = failureOf(error);
    throw failure === undefined ? error : grpcFailure(failure);
  }
}

function grpcFailure(failure: Failure): GrpcFailure {
  const { code, message, dependency } = failure;
  const trailers = dependency === undefined ? {} : { [DEPENDENCY_TRAILER]: dependency };
  return new GrpcFailure(grpcStatus[code], message, { cause: failure, trailers });
}
