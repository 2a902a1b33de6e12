// The state of one HTTP request to an MCP server. Each step adds what it learns; a request may end in any
// step, so the last ones read only what is set.

import type { ServerResponse } from 'node:http';
import type { ErrorCode, Outcome } from '@tollgate/contracts';
import type { Allow__Output, McpTarget__Output } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';

import { clientRequestId, type ClientRequest } from '../exchange/exchange';
import type { ByteLease } from '../intake';
import type { Hold } from '../policy';
import type { McpUpstream } from './auth';
import type { McpMessage, RequestId } from './message/read-message';
import type { RpcResponse } from './relay/response-tap';
import type { McpSession } from './session/sealed-session';

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
  /** The server's identifier, from the path. */
  readonly server: string;
  readonly req: ClientRequest;
  readonly res: ServerResponse;
  /** Monotonic milliseconds. */
  readonly startedMs: number;
  keySha256: Buffer | undefined;
  /** Memory taken by the body; released when the request ends. */
  lease: ByteLease | undefined;
  /** Sent on as it came; empty when it was sent. */
  body: Buffer;
  requestBytes: number;
  /** Undefined: the request has no body, or it is not read yet. */
  message: McpMessage | undefined;
  /** The JSON-RPC id of the request; undefined: nothing waits for a response. */
  rpcId: RequestId | undefined;
  modern: boolean;
  protocolVersion: string;
  /** The trace that the request belongs to; empty: none. */
  traceId: string;
  allow: Allow__Output | undefined;
  hold: Hold | undefined;
  /** Policy refused the request, so the refusal is already known there. */
  denied: boolean;
  /** The session that the request belongs to; undefined: none. */
  session: McpSession | undefined;
  /** The server may have begun to work on it. */
  used: boolean;
  ending: McpEnding;
  /** The hold has ended, though the answer may go on. */
  settled: boolean;
  clientGone: boolean;
  /** Stops the work for a client that has disconnected. */
  onClientGone: (() => void) | undefined;
}

/** The key is read, and so is the body of a message. */
export type ReceivedExchange = McpExchange & { keySha256: Buffer };

/** Policy lets the key use the server. */
export type AdmittedExchange = ReceivedExchange & { target: McpTarget__Output };

/** It is known where the request goes. */
export type ConnectedExchange = AdmittedExchange & { upstream: McpUpstream };

/** For requests without a body. */
export const NO_BODY = Buffer.alloc(0);

export function openMcpExchange(
  server: string,
  req: ClientRequest,
  res: ServerResponse,
  startedMs: number,
): McpExchange {
  const exchange: McpExchange = {
    requestId: uuidv7(),
    clientRequestId: clientRequestId(req.headers['x-request-id']),
    server,
    req,
    res,
    startedMs,
    keySha256: undefined,
    lease: undefined,
    body: NO_BODY,
    requestBytes: 0,
    message: undefined,
    rpcId: undefined,
    modern: false,
    protocolVersion: '',
    traceId: '',
    allow: undefined,
    hold: undefined,
    denied: false,
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
