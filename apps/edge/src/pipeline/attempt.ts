import { GatewayError, gatewayError } from '@tollgate/contracts';
import type { Attempt, Candidate__Output } from '@tollgate/contracts/node';
import type { Answered, Job, Payload } from '../operations';
import { beginStream, type BegunStream } from '../reply/begin';
import { readAll, startCall, type UpstreamAnswer } from '../upstream/call';
import type { Connection } from '../upstream/connections';
import { aborted, UpstreamFailure } from '../upstream/failure';
import { buildCall, upstreamRequestId } from '../upstream/request';
import type { Exchange } from './exchange';
import type { Gateway } from './gateway';
import type { PlannedCall } from './plan';

/** An answer of which nothing has been sent to the client yet. */
export type Answer = {
  candidate: Candidate__Output;
  /** Paths of what could not be said to the provider. */
  dropped: readonly string[];
} & (
  | {
      kind: 'unary';
      answered: Answered;
      /** Undefined: the gateway answers itself. */
      attempt: Attempt | undefined;
    }
  | {
      kind: 'stream';
      stream: BegunStream;
      attempt: Attempt;
      /** Monotonic instant at which the upstream was called. */
      startedMs: number;
    }
);

/**
 * One call of one candidate, up to the point where something could be sent to the client.
 * @throws UpstreamFailure, after recording it; GatewayError when the call could not be made
 */
export async function attemptCandidate(
  gateway: Gateway,
  exchange: Exchange,
  job: Job,
  planned: PlannedCall,
): Promise<Answer> {
  const { candidate, talk } = planned;
  const found = gateway.connections.get(candidate.providerId, candidate.connectionVersion);
  const connection = found instanceof Promise ? await found : found;
  const payload = talk.encode();
  if (exchange.clientGone) throw aborted();

  const startedMs = gateway.nowMs();
  const attempt: Attempt = {
    modelId: candidate.modelId,
    providerId: candidate.providerId,
    connectionVersion: candidate.connectionVersion,
    startedAtMs: gateway.wallMs(),
  };
  const running = startCall(callOf(gateway, exchange, job, planned, connection, payload));
  exchange.used = true;
  exchange.attempts.push(attempt);
  exchange.onClientGone = running.abort;
  const { dropped } = payload;

  try {
    const upstream = await running.answer;
    attempt.httpStatus = upstream.status;
    attempt.upstreamRequestId = upstreamRequestId(upstream.headers);
    if (upstream.status >= 300) throw await refused(planned, upstream);
    const passage = talk.follow(upstream.headers);
    if (passage) {
      const stream = await beginStream(upstream, passage, running.abort, gateway.nowMs);
      return { kind: 'stream', candidate, dropped, stream, attempt, startedMs };
    }
    const answered = talk.read(await readAll(upstream), upstream.headers);
    attempt.outcome = 'OK';
    return { kind: 'unary', candidate, dropped, answered, attempt };
  } catch (error) {
    const failure = error instanceof UpstreamFailure ? error : asFailure(error);
    attempt.outcome = failure.outcome;
    running.abort();
    throw failure;
  } finally {
    attempt.latencyMs = Math.round(gateway.nowMs() - startedMs);
  }
}

function callOf(
  gateway: Gateway,
  exchange: Exchange,
  job: Job,
  { candidate, endpoint, ways }: PlannedCall,
  connection: Connection,
  payload: Payload,
) {
  return buildCall({
    connection,
    endpoint,
    ways,
    model: candidate.upstreamModel,
    payload,
    stream: job.stream,
    clientHeaders: exchange.req.headers,
    responseLimitBytes: gateway.limits.responseBytes,
    draw: gateway.random(),
  });
}

async function refused({ talk }: PlannedCall, upstream: UpstreamAnswer): Promise<UpstreamFailure> {
  const body = await readAll(upstream);
  const error = talk.refused(upstream.status, upstream.headers, body);
  return new UpstreamFailure(`HTTP_${upstream.status}`, error);
}

// Codecs say what is wrong with an answer by throwing the client's error.
function asFailure(error: unknown): UpstreamFailure {
  if (error instanceof GatewayError) return new UpstreamFailure('INVALID_RESPONSE', error);
  throw error instanceof Error ? error : gatewayError('internal_error');
}
