// The state of one HTTP request to an MCP server. Each step adds what it learns; a request may end in any
// step, so the last ones read only what is set.

import type { ServerResponse } from 'node:http';
import type { ErrorCode, Outcome } from '@tollgate/contracts';
import type { Allow__Output, Denial__Output, McpTarget__Output } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import type { Screening } from '@tollgate/screening';

import { clientRequestId, type ClientRequest } from '../exchange/exchange';
import type { RequestTrace } from '../exchange/request-trace';
import type { Checks } from '../exchange/screening';
import type { JsonObject } from '../formats';
import type { ByteLease } from '../intake';
import type { Hold } from '../policy';
import type { McpUpstream } from './auth';
import type { McpMessage, RequestId } from './message/read-message';
import type { RpcResponse } from './relay/response-tap';
import type { McpSession } from './session/sealed-session';
import type { Caller, Challenge, ResourcePath } from './sign-in';

/** How it ended. Starts as a failure and is updated as the request proceeds. */
export interface McpEnding {
  outcome: Outcome;
  /** The status sent to the client; 0 until one is sent. */
  httpStatus: number;
  errorCode: ErrorCode | '';
  /** The call is paid for: a result came, or the client did not wait for it. */
  charged: boolean;
  /** The server's response, if it has arrived. */
  response: RpcResponse | undefined;
  responseBytes: number;
  /** From the arrival of the request to the first byte of the answer's body; 0: none was sent. */
  firstByteMs: number;
  /** How long the server was busy. */
  upstreamMs: number;
  /** The answer is a stream of events. */
  stream: boolean;
  upstreamRequestId: string;
}

export interface McpExchange {
  readonly requestId: string;
  readonly clientRequestId: string;
  readonly path: ResourcePath;
  /** The server's identifier, from the path. */
  readonly server: string;
  readonly req: ClientRequest;
  readonly res: ServerResponse;
  /** Monotonic milliseconds. */
  readonly startedMs: number;
  keySha256: Buffer | undefined;
  /** What sessions belong to: the key's hash, or a digest of the key and the person who signed in. */
  principal: Buffer | undefined;
  /** When the client's token expires, in milliseconds since 1970; undefined: it sent a key. */
  expiresMs: number | undefined;
  /** The client sent an access token instead of a key. */
  tokenSent: boolean;
  /** What a client without a valid token is told; undefined: tokens are not accepted here. */
  challenge: Challenge | undefined;
  /** Memory taken by the body; released when the request ends. */
  lease: ByteLease | undefined;
  /** Sent on as it came; empty when it was sent. */
  body: Buffer;
  requestBytes: number;
  /** Undefined: the request has no body, or it is not read yet. */
  message: McpMessage | undefined;
  /** The JSON-RPC id of the request; undefined: nothing waits for a response. */
  rpcId: RequestId | undefined;
  /** The whole message, until it is screened. */
  document: JsonObject | undefined;
  /** Undefined: no screening policy applies. */
  screening: Screening | undefined;
  /** Asks services about texts. Undefined: no rule does. */
  checks: Checks | undefined;
  /** A screening rule refused the message, of which the server has got nothing. */
  refusedByRule: boolean;
  /** Headers that repeat masked texts, as they are sent. */
  maskedHeaders: Record<string, string>;
  modern: boolean;
  protocolVersion: string;
  /** The trace that the request belongs to; empty: none. */
  traceId: string;
  /** Undefined: the request is not traced. */
  trace: RequestTrace | undefined;
  allow: Allow__Output | undefined;
  hold: Hold | undefined;
  /** Policy's refusal, which is already known there. */
  denial: Denial__Output | undefined;
  /** Region of the MCP server, set by connect(); empty: unknown. */
  region: string;
  /** The session that the request belongs to; undefined: none. */
  session: McpSession | undefined;
  /** The server may have begun to work on it. */
  used: boolean;
  ending: McpEnding;
  /** The hold has ended, though the answer may go on. */
  settled: boolean;
  clientGone: boolean;
  /** The client gave the request up before any of it was sent, so it must not be sent any more. */
  givenUp: boolean;
  /** Stops the work for a client that has disconnected. */
  onClientGone: (() => void) | undefined;
}

/** The key is read, and so is the body of a message. */
export type ReceivedExchange = McpExchange & Caller;

/** Policy lets the key use the server. */
export type AdmittedExchange = ReceivedExchange & { target: McpTarget__Output };

/** It is known where the request goes. */
export type ConnectedExchange = AdmittedExchange & { upstream: McpUpstream };

/** For requests without a body. */
export const NO_BODY = Buffer.alloc(0);

export function openMcpExchange(
  path: ResourcePath,
  req: ClientRequest,
  res: ServerResponse,
  startedMs: number,
): McpExchange {
  const exchange: McpExchange = {
    requestId: uuidv7(),
    clientRequestId: clientRequestId(req.headers['x-request-id']),
    path,
    server: path.server,
    req,
    res,
    startedMs,
    keySha256: undefined,
    principal: undefined,
    expiresMs: undefined,
    tokenSent: false,
    challenge: undefined,
    lease: undefined,
    body: NO_BODY,
    requestBytes: 0,
    message: undefined,
    rpcId: undefined,
    document: undefined,
    screening: undefined,
    checks: undefined,
    refusedByRule: false,
    maskedHeaders: {},
    modern: false,
    protocolVersion: '',
    traceId: '',
    trace: undefined,
    allow: undefined,
    hold: undefined,
    denial: undefined,
    region: '',
    session: undefined,
    used: false,
    ending: {
      outcome: 'FAILED',
      httpStatus: 0,
      errorCode: '',
      charged: false,
      response: undefined,
      responseBytes: 0,
      firstByteMs: 0,
      upstreamMs: 0,
      stream: false,
      upstreamRequestId: '',
    },
    settled: false,
    clientGone: false,
    givenUp: false,
    onClientGone: undefined,
  };
  res.on('close', () => {
    if (res.writableFinished) return;
    exchange.clientGone = true;
    exchange.onClientGone?.();
  });
  return exchange;
}

/** Whether nobody waits for the end of the answer: a stream of whatever the server has to tell. */
export function isEndless({ req, message }: McpExchange): boolean {
  if (req.method === 'GET') return true;
  return message?.kind === 'request' && message.method === 'subscriptions/listen';
}
