// The state of one request that goes to a provider as it is. Each step adds what it learns; a request may end in any
// step, so the last ones read only what is set.

import type { ServerResponse } from 'node:http';
import type { ErrorCode, Outcome, UsageQuality } from '@tollgate/contracts';
import type {
  Allow__Output,
  Denial__Output,
  PassthroughTarget__Output,
} from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';

import { clientRequestId, type ClientRequest } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import type { RequestTrace } from '../exchange/request-trace';
import type { ByteLease } from '../intake';
import type { Hold } from '../policy';
import type { Place } from './place';

/** What such requests need of the gateway. */
export type PassthroughGateway = Pick<
  Gateway,
  | 'bodies'
  | 'connections'
  | 'dryRuns'
  | 'limits'
  | 'log'
  | 'metrics'
  | 'nowMs'
  | 'policy'
  | 'random'
  | 'refusals'
  | 'tracing'
  | 'wallMs'
>;

/** How it ended. Starts as a failure and is updated as the request proceeds. */
export interface PassthroughEnding {
  outcome: Outcome;
  /** The status sent to the client; 0 until one is sent. */
  httpStatus: number;
  errorCode: ErrorCode | '';
  /** The provider bills the call: it answered without an error, or nobody waited for its answer. */
  charged: boolean;
  quality: UsageQuality;
  /** Bytes of the answer's body that are paid for. */
  responseBytes: number;
  /** From the arrival of the request to the first byte of the answer's body; 0: none was sent. */
  firstByteMs: number;
  /** How long the provider was busy. */
  upstreamMs: number;
  upstreamRequestId: string;
}

export interface PassthroughExchange {
  readonly requestId: string;
  readonly clientRequestId: string;
  readonly req: ClientRequest;
  readonly res: ServerResponse;
  /** Monotonic milliseconds. */
  readonly startedMs: number;
  keySha256: Buffer | undefined;
  /** Memory taken by the body. */
  lease: ByteLease | undefined;
  /** Sent on as it came; empty when it was sent. */
  body: Buffer;
  requestBytes: number;
  traceId: string;
  /** Undefined: the request is not traced. */
  trace: RequestTrace | undefined;
  allow: Allow__Output | undefined;
  hold: Hold | undefined;
  /** Policy's refusal, which is already known there. */
  denial: Denial__Output | undefined;
  /** The provider may have begun to work on it. */
  used: boolean;
  ending: PassthroughEnding;
  clientGone: boolean;
  /** Stops the work for a client that has disconnected. */
  onClientGone: (() => void) | undefined;
}

/** It is known who asks for what. */
export type PlacedExchange = PassthroughExchange & { keySha256: Buffer; place: Place };

/** Policy has found a rule and holds what the request may cost. */
export type AdmittedPassthrough = PlacedExchange & {
  allow: Allow__Output;
  target: PassthroughTarget__Output & { rule: Rule };
};
export type Rule = NonNullable<PassthroughTarget__Output['rule']>;

export const NO_BODY = Buffer.alloc(0);

export function openPassthroughExchange(
  req: ClientRequest,
  res: ServerResponse,
  startedMs: number,
): PassthroughExchange {
  const exchange: PassthroughExchange = {
    requestId: uuidv7(),
    clientRequestId: clientRequestId(req.headers['x-request-id']),
    req,
    res,
    startedMs,
    keySha256: undefined,
    lease: undefined,
    body: NO_BODY,
    requestBytes: 0,
    traceId: '',
    trace: undefined,
    allow: undefined,
    hold: undefined,
    denial: undefined,
    used: false,
    ending: {
      outcome: 'FAILED',
      httpStatus: 0,
      errorCode: '',
      charged: false,
      quality: 'EXACT',
      responseBytes: 0,
      firstByteMs: 0,
      upstreamMs: 0,
      upstreamRequestId: '',
    },
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
