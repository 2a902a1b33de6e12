// Passes an answer on, byte by byte: nothing of it is kept but what a filter needs.

import { GatewayError } from '@tollgate/contracts';

import { ClientGone } from '../../intake';
import { createClientWriter, type ClientWriter } from '../../reply/client-writer';
import { relayedHeader } from '../../reply/header-text';
import type { RunningCall, UpstreamAnswer } from '../../upstream/call';
import { UpstreamFailure } from '../../upstream/failure';
import { encodeRpcErrorEvent } from '../errors/rpc-errors';
import type { ConnectedExchange } from '../exchange';
import { createListFilter, isListMethod, type ListFilter } from '../filter';
import type { McpGateway } from '../gateway';
import { createResultScreen, type ResultScreen } from '../screening/screen-results';
import { answerHead } from './answer-head';
import { bodyKindOf, failureError } from './answer-verdict';
import { noteBroken, noteComplete } from './endings';
import type { Stops } from './giving-up';
import { createJsonTap, createSseTap, type ResponseTap } from './response-tap';
import type { Called } from './upstream-call';

interface Passing {
  readonly gateway: McpGateway;
  readonly exchange: ConnectedExchange;
  readonly stream: boolean;
  readonly head: Record<string, string>;
  readonly writer: ClientWriter;
  readonly tap: ResponseTap | undefined;
  readonly filter: ListFilter | undefined;
  readonly screen: ResultScreen | undefined;
  /** Parts that are screened, one after the other. */
  screened: Promise<void>;
  resume: () => void;
  finished: boolean;
  /** The answer has ended: its client has all of it, or an error after a part of it. */
  resolve: () => void;
  /** Nothing has been sent, so that the error can be a proper answer. */
  reject: (error: unknown) => void;
}

/**
 * Resolves when the client has its answer.
 * @throws GatewayError when nothing has been sent to the client yet; ClientGone
 */
export function passAnswer(
  gateway: McpGateway,
  exchange: ConnectedExchange,
  stops: Stops,
  { running, answer }: Called,
): Promise<void> {
  const kind = bodyKindOf(answer.headers);
  const stream = kind === 'events';
  const head = answerHead(gateway, exchange, answer.headers, { stream });
  exchange.ending.stream = stream;
  return new Promise((resolve, reject) => {
    const passing: Passing = {
      gateway,
      exchange,
      stream,
      head,
      writer: createClientWriter(exchange.res, { stream, onDrain: answer.resume }),
      tap: tapOf(exchange, stream),
      filter: kind === 'other' ? undefined : filterOf(gateway, exchange, answer),
      screen: createResultScreen(gateway, exchange, kind),
      screened: Promise.resolve(),
      resume: answer.resume,
      finished: false,
      resolve,
      reject,
    };
    stops.stop = (error) => {
      if (error) fail(passing, error);
      else endQuietly(passing);
      // The call reports its own end, which must not come first.
      running.abort();
    };
    exchange.onClientGone = () => {
      exchange.ending.response = passing.tap?.response();
      finish(passing, () => reject(new ClientGone('the client closed its connection')));
      running.abort();
    };
    if (exchange.clientGone) return exchange.onClientGone();
    // A client may wait for the head of a stream that stays silent.
    if (stream) sendHead(passing, answer.status).flushHeaders();
    exchange.ending.httpStatus = answer.status;
    answer.read({
      data: (chunk) => data(passing, running, chunk),
      end: () => complete(passing, running),
      // What is screened still goes before it.
      fail: (failure) => afterScreened(passing, () => fail(passing, failureError(failure))),
    });
    return undefined;
  });
}

function tapOf({ rpcId }: ConnectedExchange, stream: boolean): ResponseTap | undefined {
  if (rpcId === undefined) return undefined;
  return stream ? createSseTap(rpcId) : createJsonTap(rpcId);
}

// A resumed stream repeats earlier answers, among which may be lists.
function filterOf(
  { pins }: McpGateway,
  { message, req, target, upstream }: ConnectedExchange,
  answer: UpstreamAnswer,
): ListFilter | undefined {
  const method = message?.kind === 'request' ? message.method : undefined;
  const isList = method !== undefined && isListMethod(method);
  if (answer.status >= 400 || !(isList || req.method === 'GET')) return undefined;
  const listing = target.pins.length > 0 ? pins.openListing(upstream, target.pins) : undefined;
  return createListFilter({
    method: isList ? method : undefined,
    rules: target.rules,
    contentType: String(answer.headers['content-type'] ?? ''),
    // A model must not read what a server has put into the description of a tool since it was pinned.
    admitTool: listing && ((tool, definition) => listing.see(tool, definition) !== 'CHANGED'),
  });
}

function data(passing: Passing, running: RunningCall, chunk: Buffer): boolean {
  if (passing.finished) return true;
  try {
    passing.tap?.push(chunk);
    const passed = passing.filter ? passing.filter.push(chunk) : [chunk];
    if (!passing.screen) return write(passing, passed);
    screenThen(passing, running, passing.screen.push.bind(undefined, passed), (more) => {
      if (more) passing.resume();
    });
    return false;
  } catch (error) {
    failOf(passing, error);
    running.abort();
    return true;
  }
}

function write(passing: Passing, parts: readonly Buffer[]): boolean {
  const { exchange, gateway, writer } = passing;
  const { ending, res } = exchange;
  let bytes = 0;
  for (const part of parts) bytes += part.length;
  if (bytes === 0) return true;
  if (!res.headersSent) sendHead(passing, ending.httpStatus);
  if (ending.firstByteMs === 0) {
    ending.firstByteMs = Math.max(1, Math.round(gateway.nowMs() - exchange.startedMs));
  }
  ending.responseBytes += bytes;
  exchange.trace?.call?.content?.keep(parts);
  return writer.write(parts);
}

function sendHead({ exchange, head }: Passing, status: number) {
  const evidence = exchange.screening?.evidence() ?? '';
  if (evidence !== '') head['x-tollgate-screening'] = relayedHeader(evidence);
  return exchange.res.writeHead(status, head);
}

/** Screens after what came before, and writes what goes on. */
function screenThen(
  passing: Passing,
  running: RunningCall,
  screen: () => Promise<Buffer[]>,
  then: (more: boolean) => void,
): void {
  const screenNext = async (before: Promise<void>): Promise<void> => {
    await before;
    if (passing.finished) return;
    try {
      const passed = await screen();
      if (!passing.finished) then(write(passing, passed));
    } catch (error) {
      refuseRest(passing, error);
      running.abort();
    }
  };
  passing.screened = screenNext(passing.screened);
}

function afterScreened(passing: Passing, act: () => void): void {
  if (!passing.screen) return act();
  const next = async (before: Promise<void>): Promise<void> => {
    await before;
    act();
  };
  passing.screened = next(passing.screened);
}

/** What a rule refuses does not go to the client. A result of the server is paid for. */
function refuseRest(passing: Passing, error: unknown): void {
  if (passing.finished || !(error instanceof GatewayError)) return failOf(passing, error);
  const { ending } = passing.exchange;
  ending.response = passing.tap?.response();
  ending.charged = ending.response?.errorCode === undefined;
  breakOff(passing, error);
}

function complete(passing: Passing, running: RunningCall): void {
  if (passing.finished) return;
  const { filter, screen, tap } = passing;
  try {
    const rest = filter?.finish() ?? [];
    tap?.end();
    if (!screen) write(passing, rest);
    else {
      const last = async () => [...(await screen.push(rest)), ...(await screen.finish())];
      return screenThen(passing, running, last, () => end(passing));
    }
  } catch (error) {
    return failOf(passing, error);
  }
  return end(passing);
}

function end(passing: Passing): void {
  const { exchange, tap, writer } = passing;
  const error = noteComplete(exchange, tap);
  if (error && (passing.stream || !exchange.res.headersSent)) return fail(passing, error);
  finish(passing, () => {
    if (!exchange.res.headersSent) sendHead(passing, exchange.ending.httpStatus);
    writer.end();
    passing.resolve();
  });
}

/** The edge stops. Clients of streams that nobody waits for open them again elsewhere. */
function endQuietly(passing: Passing): void {
  finish(passing, () => {
    passing.exchange.ending.outcome = 'COMPLETED';
    passing.writer.end();
    passing.resolve();
  });
}

function endAnswered(passing: Passing, tap: ResponseTap): void {
  finish(passing, () => {
    noteComplete(passing.exchange, tap);
    passing.writer.end();
    passing.resolve();
  });
}

function failOf(passing: Passing, error: unknown): void {
  if (error instanceof UpstreamFailure) fail(passing, error.error);
  else finish(passing, () => passing.reject(error));
}

function fail(passing: Passing, error: GatewayError): void {
  const { exchange, tap } = passing;
  const { res } = exchange;
  // What follows the response matters to nobody.
  if (tap?.response() && res.headersSent) return endAnswered(passing, tap);
  breakOff(passing, error);
}

function breakOff(passing: Passing, error: GatewayError): void {
  const { exchange, stream, writer } = passing;
  const { requestId, res, rpcId } = exchange;
  finish(passing, () => {
    if (!res.headersSent) return passing.reject(error);
    noteBroken(exchange.ending, error);
    // Where nobody waits for a response, the client opens another stream.
    if (stream)
      writer.end(rpcId === undefined ? '' : encodeRpcErrorEvent(error, { requestId, rpcId }));
    // The client must see that its document is not complete.
    else res.destroy();
    passing.resolve();
  });
}

/** Runs once, because ending a stream may make the other side report its end as well. */
function finish(passing: Passing, act: () => void): void {
  if (passing.finished) return;
  passing.finished = true;
  passing.writer.release();
  act();
}
