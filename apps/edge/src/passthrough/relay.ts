// Calls the provider once and passes its answer on, byte by byte, with backpressure.

import { gatewayError, type ErrorCode, type GatewayError } from '@tollgate/contracts';

import { waitOf } from '../formats/upstream-error';
import { ClientGone } from '../intake';
import { createClientWriter, type ClientWriter } from '../reply/client-writer';
import { startCall, startCallWith, type RunningCall, type UpstreamAnswer } from '../upstream/call';
import { clientSafeFailure } from '../upstream/client-safe-failure';
import type { Connection } from '../upstream/connections';
import { tooLarge, UpstreamFailure } from '../upstream/failure';
import { maskedHeaders, redactOf } from '../upstream/redact';
import { upstreamRequestId } from '../upstream/request';
import { answerHead } from './answer-head';
import { NO_BODY, type AdmittedPassthrough, type PassthroughGateway } from './exchange';
import { createKeyMask, type KeyMask } from './key-mask';
import { buildPassthroughCall } from './upstream-call';

/**
 * Resolves when the client has its answer, or as much of it as there is. The result is in `exchange.ending`.
 * @throws GatewayError when nothing has been sent to the client yet; ClientGone
 */
export async function relay(
  gateway: PassthroughGateway,
  exchange: AdmittedPassthrough,
): Promise<void> {
  const { connectionVersion, providerId } = exchange.target;
  const connection = await gateway.connections.get(providerId, connectionVersion);
  const keyModel = `passthrough:${exchange.target.rule.path}`;
  const keyIndex = connection.keys.draw(keyModel, gateway.random(), undefined) ?? 0;
  if (exchange.clientGone) throw new ClientGone('the client closed its connection');
  const startedMs = gateway.nowMs();
  const running = start(exchange, connection, keyIndex);
  exchange.onClientGone = () => running.abort();
  try {
    const answer = await answerOf(exchange, running);
    const { headers, status } = answer;
    // Another request gets another key, or a new credential. This one is not sent again.
    // A refusal of one endpoint says nothing of the models, so the key rests for passthrough at most.
    if (status === 429) connection.keys.refused(keyIndex, keyModel, status, waitOf(headers));
    await connection.identities[keyIndex]?.refused(status, startedMs);
    exchange.ending.upstreamRequestId = redactOf(connection)(upstreamRequestId(headers));
    await passAnswer(gateway, exchange, { answer, connection, running });
  } catch (error) {
    running.abort();
    throw told(gateway, exchange, error, connection);
  } finally {
    exchange.ending.upstreamMs = Math.round(gateway.nowMs() - startedMs);
  }
}

// Nothing that lives as long as the answer may reference the call, or its body would stay in memory.
function start(
  exchange: AdmittedPassthrough,
  connection: Connection,
  keyIndex: number,
): RunningCall {
  const built = buildPassthroughCall(exchange, connection, keyIndex);
  const authorised = connection.identities[keyIndex]?.authorise(built) ?? built;
  return authorised instanceof Promise ? startCallWith(authorised) : startCall(authorised);
}

async function answerOf(
  exchange: AdmittedPassthrough,
  running: RunningCall,
): Promise<UpstreamAnswer> {
  try {
    const answer = await running.answer;
    exchange.used = true;
    exchange.body = NO_BODY;
    exchange.lease?.release();
    return answer;
  } catch (error) {
    exchange.used =
      error instanceof UpstreamFailure ? error.sent && running.sent() : running.sent();
    // Without an answer the provider may or may not bill the call.
    exchange.ending.quality = 'UNKNOWN';
    throw error;
  }
}

function told(
  { log }: PassthroughGateway,
  exchange: AdmittedPassthrough,
  error: unknown,
  connection: Connection,
): unknown {
  if (exchange.clientGone) return new ClientGone('the client closed its connection');
  if (!(error instanceof UpstreamFailure)) return error;
  const { failure, upstreamMessage } = clientSafeFailure(error, redactOf(connection));
  log.debug('provider failed', {
    requestId: exchange.requestId,
    providerId: connection.providerId,
    outcome: failure.outcome,
    upstreamMessage,
  });
  return failure.error;
}

interface Called {
  readonly answer: UpstreamAnswer;
  readonly connection: Connection;
  readonly running: RunningCall;
}

interface Passing extends Called {
  readonly gateway: PassthroughGateway;
  readonly exchange: AdmittedPassthrough;
  readonly head: Record<string, string>;
  readonly mask: KeyMask;
  readonly writer: ClientWriter;
  finished: boolean;
  resolve: () => void;
  /** Nothing has been sent, so that the error can be a proper answer. */
  reject: (error: unknown) => void;
}

const EVENT_STREAM = /^text\/event-stream\b/i;

function passAnswer(
  gateway: PassthroughGateway,
  exchange: AdmittedPassthrough,
  called: Called,
): Promise<void> {
  const { answer, connection, running } = called;
  const { ending, res, target } = exchange;
  const headers = maskedHeaders(answer.headers, connection);
  ending.httpStatus = answer.status;
  ending.charged = answer.status < 400;
  const { maxResponseBytes } = target.rule;
  // The content-length of a 304 is that of the client's cached copy.
  const hasBody = answer.status !== 204 && answer.status !== 304;
  if (hasBody && Number(headers['content-length'] ?? 0) > maxResponseBytes) {
    return Promise.reject(beyondRule(exchange));
  }
  return new Promise((resolve, reject) => {
    const stream = EVENT_STREAM.test(String(headers['content-type'] ?? ''));
    const passing: Passing = {
      ...called,
      gateway,
      exchange,
      head: answerHead(gateway, exchange, headers, { stream }),
      mask: createKeyMask(connection),
      writer: createClientWriter(res, { stream: false, onDrain: answer.resume }),
      finished: false,
      resolve,
      reject,
    };
    exchange.onClientGone = () => {
      finish(passing, () => reject(new ClientGone('the client closed its connection')));
      running.abort();
    };
    if (exchange.clientGone) return exchange.onClientGone();
    // A client may wait for the head of a stream that stays silent.
    if (stream) res.writeHead(answer.status, passing.head).flushHeaders();
    answer.read({
      data: (chunk) => data(passing, chunk),
      end: () => end(passing),
      fail: (failure) => fail(passing, failure),
    });
    return undefined;
  });
}

function data(passing: Passing, chunk: Buffer): boolean {
  if (passing.finished) return true;
  passing.exchange.ending.responseBytes += chunk.length;
  return write(passing, passing.mask.push(chunk));
}

function write({ answer, exchange, gateway, head, writer }: Passing, bytes: Buffer): boolean {
  if (bytes.length === 0) return true;
  const { ending, res } = exchange;
  if (!res.headersSent) res.writeHead(answer.status, head);
  if (ending.firstByteMs === 0) {
    ending.firstByteMs = Math.max(1, Math.round(gateway.nowMs() - exchange.startedMs));
  }
  return writer.write([bytes]);
}

function end(passing: Passing): void {
  const { answer, exchange, head, mask, writer } = passing;
  if (passing.finished) return;
  // Before the writer is released, which ends the watch over a client that does not read.
  write(passing, mask.end());
  finish(passing, () => {
    const { ending, res } = exchange;
    if (!res.headersSent) res.writeHead(answer.status, head);
    const code = errorCodeOf(answer.status);
    ending.outcome = code === '' ? 'COMPLETED' : 'FAILED';
    ending.errorCode = code;
    writer.end();
    passing.resolve();
  });
}

/** An error of the provider is passed on as it is; the record says whose it is. */
function errorCodeOf(status: number): ErrorCode | '' {
  if (status < 400) return '';
  if (status === 429) return 'upstream_rate_limited';
  return status < 500 ? 'upstream_rejected' : 'upstream_error';
}

/** The provider broke off, or sends more than the rule allows. */
function fail(passing: Passing, failure: UpstreamFailure): void {
  const { exchange, mask } = passing;
  const { ending, res } = exchange;
  finish(passing, () => {
    const error: GatewayError | UpstreamFailure =
      failure.outcome === 'TOO_LARGE' ? beyondRule(exchange) : failure;
    ending.quality = 'ESTIMATED';
    if (!res.headersSent) return passing.reject(error);
    const { code } = error instanceof UpstreamFailure ? error.error : error;
    // The mask holds back what may be the start of a key; it is dropped.
    mask.end();
    ending.outcome = 'PARTIAL';
    ending.errorCode = code;
    // The client must see that its answer is not complete.
    res.destroy();
    passing.resolve();
  });
}

/** The provider has made, and bills, at least as many bytes as the rule allows. */
function beyondRule({ ending, target }: AdmittedPassthrough): GatewayError {
  const { maxResponseBytes } = target.rule;
  ending.responseBytes = maxResponseBytes;
  ending.quality = 'ESTIMATED';
  const { error } = tooLarge(maxResponseBytes);
  const text = `${error.message} That is the most that the passthrough rule allows.`;
  return gatewayError('upstream_error', text, { details: { limitBytes: maxResponseBytes } });
}

/** Runs once, because ending an answer may make the other side report its end as well. */
function finish(passing: Passing, act: () => void): void {
  if (passing.finished) return;
  passing.finished = true;
  passing.writer.release();
  act();
}
