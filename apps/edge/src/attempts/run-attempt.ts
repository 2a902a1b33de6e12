import { GatewayError } from '@tollgate/contracts';
import type { Attempt } from '@tollgate/contracts/node';

import type { Answer } from '../exchange/answer';
import { answerLease } from '../exchange/answer-lease';
import { addStoredInput } from '../exchange/charge';
import { dropImplausibleUsage } from '../exchange/plausible-usage';
import type { FormatName } from '../formats';
import { present } from '../formats/json';
import { waitOf } from '../formats/upstream-error';
import type { Answered, ProviderAdapter } from '../operations';
import { screenedPassage } from '../screening';
import { attemptHeaders } from '../tracing';
import { openAnswer, type AnswerBody } from '../upstream/answer-body';
import { withServerSentEvents } from '../upstream/aws-event-stream';
import { startCall, startCallWith, type UpstreamAnswer, type UpstreamCall } from '../upstream/call';
import { clientSafeFailure, recordedMessage } from '../upstream/client-safe-failure';
import type { Connection } from '../upstream/connections';
import { aborted, timedOut, UpstreamFailure } from '../upstream/failure';
import type { WrittenPayload } from '../upstream/payload';
import { readAll, readRefusal } from '../upstream/read-answer';
import { maskedHeaders, maskedText, maskKeys, redactOf, type Redact } from '../upstream/redact';
import { relayedHeaders } from '../upstream/relayed-headers';
import { buildCall, upstreamRequestId } from '../upstream/request';
import { speakOneFormat, vendorEvent, vendorRefusal } from '../upstream/vendor-refusal';
import { failed, won } from './attempt-ending';
import type { AttemptState, RunningAttempt } from './attempt-state';
import { beginStream } from './begin-stream';
import type { PlannedCall } from './plan';
import { timeoutsOf, type AttemptTimeouts } from './rules';

/** The inputs of one upstream call. */
export interface PreparedCall {
  /** The attempt's record, filled in while the call runs. */
  attempt: Attempt;
  connection: Connection;
  keyIndex: number;
  payload: WrittenPayload;
}

/**
 * Calls one candidate once, until something can be sent to the client. A losing attempt is booked
 * here. A winning one is booked after its answer has been sent, when its cost is known.
 * @throws UpstreamFailure
 */
export async function attemptCandidate(
  state: AttemptState,
  planned: PlannedCall,
  prepared: PreparedCall,
): Promise<Answer> {
  const { gateway } = state;
  const { candidate, adapter } = planned;
  const { dropped } = prepared.payload;
  const { background = false } = adapter;
  const timeouts = timeoutsOf(candidate, prepared.connection.timeouts);
  const runningAttempt = startAttempt(state, planned, prepared, timeouts);
  const { attempt, call, startedMs } = runningAttempt;
  const redact = redactOf(prepared.connection);
  const toClientSafe = (failure: UpstreamFailure): UpstreamFailure =>
    clientSafe(state, planned, attempt, failure, redact);
  const firstToken = firstTokenTimer(runningAttempt, timeouts?.firstTokenMs);

  try {
    const plain = await call.answer;
    const upstream = planned.providerRules.framing ? withServerSentEvents(plain) : plain;
    attempt.httpStatus = upstream.status;
    attempt.upstreamRequestId = redact(upstreamRequestId(upstream.headers));
    const headers = maskedHeaders(upstream.headers, prepared.connection);
    if (upstream.status >= 300) {
      throw await refused(planned, upstream, state.exchange.formatName, redact);
    }
    const relayed = relayedHeaders(headers, planned.endpoint, state.exchange.formatName);
    const followed = adapter.follow(headers);
    const passage = followed && screenedPassage(state.exchange.screening, followed);
    runningAttempt.passage = passage;
    if (passage) {
      const streamsFromMs = (runningAttempt.streamsFromMs = gateway.nowMs());
      const stream = await beginStream(upstream, passage, {
        abort: call.abort,
        toClientSafe,
        nowMs: gateway.nowMs,
        lease: () => answerLease(gateway, state.exchange),
        withOutput: state.rules.routed || state.left.length > 0,
      });
      won(state, runningAttempt);
      return {
        kind: 'stream',
        candidate,
        dropped,
        relayed,
        background,
        stream,
        streamsFromMs,
        attempt,
        startedMs,
      };
    }
    clearTimeout(firstToken);
    const body = await readAnswer(state, adapter, upstream);
    const answered = withoutKeys(adapter.read(body, headers), prepared.connection);
    addStoredInput(answered.report, state.exchange.job);
    dropImplausibleUsage(gateway, state.exchange, candidate, answered.report);
    if (answered.failure) throw failedAnswer(answered.failure, answered.report);
    won(state, runningAttempt);
    attempt.outcome = 'OK';
    return { kind: 'unary', candidate, dropped, relayed, background, answered, attempt };
  } catch (error) {
    const failure = toClientSafe(asFailure(error));
    failed(state, runningAttempt, failure);
    // Any other error is the gateway's own.
    throw failure.outcome === 'ABORTED' && !(error instanceof UpstreamFailure) ? error : failure;
  } finally {
    clearTimeout(firstToken);
    // An attempt that was given up already has its latency.
    attempt.latencyMs ??= Math.round(gateway.nowMs() - startedMs);
  }
}

/** Smaller answers take no lease: they are released too soon to add up. */
const SMALL_ANSWER_BYTES = 64 * 1024;

// Reads the whole answer, paced by the memory budget, and parses it within the JSON limits.
async function readAnswer(
  { exchange, gateway }: AttemptState,
  { countsOnly }: ProviderAdapter,
  upstream: UpstreamAnswer,
): Promise<AnswerBody> {
  let read = 0;
  let taken = 0;
  const takeRoom = (more: number): Promise<void> | undefined => {
    read += more;
    if (read <= SMALL_ANSWER_BYTES) return undefined;
    const lease = answerLease(gateway, exchange);
    lease.confirm(exchange.keySha256.toString('latin1'));
    const wanted = read - taken;
    taken = read;
    return lease.take(wanted) ? undefined : lease.takeSoon(wanted);
  };
  const bytes = await readAll(upstream, { limitBytes: gateway.limits.answerBytes, takeRoom });
  const contentType = String(upstream.headers['content-type'] ?? '');
  return openAnswer(gateway.json, bytes, { contentType, countsOnly });
}

function startAttempt(
  state: AttemptState,
  planned: PlannedCall,
  prepared: PreparedCall,
  timeouts: AttemptTimeouts | undefined,
): RunningAttempt {
  const { exchange, gateway, running } = state;
  const { candidate } = planned;
  const startedMs = gateway.nowMs();
  const { attempt, connection, keyIndex } = prepared;
  const built = callOf(state, planned, prepared, timeouts);
  const authorised = connection.identities[keyIndex]?.authorise(built) ?? built;
  const call = authorised instanceof Promise ? startCallWith(authorised) : startCall(authorised);
  const runningAttempt: RunningAttempt = {
    attempt,
    candidate,
    call,
    startedMs,
    passage: undefined,
    streamsFromMs: undefined,
    over: false,
  };
  exchange.used = true;
  exchange.attempts.push(attempt);
  running.push(runningAttempt);
  return runningAttempt;
}

function callOf(
  { exchange, gateway }: AttemptState,
  { candidate, endpoint, forwarded, providerRules }: PlannedCall,
  { attempt, connection, keyIndex, payload }: PreparedCall,
  timeouts: AttemptTimeouts | undefined,
): UpstreamCall {
  const call = buildCall({
    connection,
    endpoint,
    providerRules,
    model: candidate.upstreamModel,
    payload,
    stream: exchange.job.stream,
    forwarded,
    responseLimitBytes: gateway.limits.responseBytes,
    keyIndex,
    timeouts,
  });
  // Vendors are told nothing of traces; a server of one's own adds its spans to them.
  if (exchange.trace && candidate.upstreamFormat === 'vllm') {
    Object.assign(call.headers, attemptHeaders(exchange.trace, attempt));
  }
  if (timeouts?.attemptMs !== undefined) call.totalTimeoutMs = timeouts.attemptMs;
  return call;
}

function firstTokenTimer(
  { call }: RunningAttempt,
  ms: number | undefined,
): NodeJS.Timeout | undefined {
  return ms === undefined ? undefined : setTimeout(() => call.abort(timedOut('first token')), ms);
}

async function refused(
  { endpoint, adapter }: PlannedCall,
  upstream: UpstreamAnswer,
  client: FormatName,
  redact: Redact,
): Promise<UpstreamFailure> {
  const { headers, status } = upstream;
  const body = await readRefusal(upstream);
  const error = adapter.refused(status, headers, body);
  const facts = { status, retryAfterMs: waitOf(headers) };
  const failure = new UpstreamFailure(`HTTP_${status}`, error, facts);
  if (speakOneFormat(client, endpoint.format)) {
    failure.vendor = vendorRefusal({ status, headers, body, error }, client, redact);
  }
  return failure;
}

/** A complete answer that says that it failed: the upstream bills it. */
function failedAnswer(error: GatewayError, report: Answered['report']): UpstreamFailure {
  const failure = new UpstreamFailure('UPSTREAM_ERROR', error);
  const { tiers, units, unitsEstimated, usage } = report;
  failure.consumed = present({ tiers, units, unitsEstimated, usage });
  return failure;
}

// Masks the provider's keys, which an upstream may echo in its answer.
function withoutKeys(answered: Answered, connection: Connection): Answered {
  const { body } = answered;
  if (typeof body === 'function') {
    return { ...answered, body: (usage) => maskedText(body(usage), connection) };
  }
  maskKeys(body, connection);
  return answered;
}

/**
 * Keeps the upstream's message without secrets in the attempt's record and the log, and returns the
 * failure for the client.
 */
function clientSafe(
  { exchange, gateway }: AttemptState,
  { candidate, endpoint }: PlannedCall,
  attempt: Attempt,
  failure: UpstreamFailure,
  redact: Redact,
): UpstreamFailure {
  const { formatName } = exchange;
  if (speakOneFormat(formatName, endpoint.format)) {
    failure.vendorEvent = vendorEvent(failure.error, formatName, redact);
  }
  const safe = clientSafeFailure(failure, redact);
  const { upstreamMessage } = safe;
  attempt.message = recordedMessage(upstreamMessage ?? safe.failure.error.message);
  if (upstreamMessage !== undefined) {
    gateway.log.debug('provider refused the request or failed', {
      requestId: exchange.requestId,
      providerId: candidate.providerId,
      outcome: failure.outcome,
      upstreamMessage,
    });
  }
  return safe.failure;
}

// Codecs report an invalid answer by throwing the client's error.
function asFailure(error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  if (error instanceof GatewayError) return new UpstreamFailure('INVALID_RESPONSE', error);
  return aborted();
}
