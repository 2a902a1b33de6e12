// What requests to MCP servers need: parts of the gateway that models use too, and their own.

import type { Gateway } from '../exchange/gateway';
import type { ByteBudget } from '../intake';
import type { Policy } from '../policy';
import type { McpConnections } from './auth';
import type { PinBook } from './pins';
import type { Runner } from './relay/runner';
import type { SessionSeals } from './session/sealed-session';
import type { SignIns, TokenReader } from './sign-in';
import type { MessageRate } from './streams/message-rate';
import type { OpenStreams } from './streams/open-streams';
import type { RunningRequests } from './streams/running-requests';

export interface McpSignInParts {
  /** Base URL by which clients reach this gateway, without a slash at the end. */
  publicUrl: string;
  /** Slug of the organisation whose tokens are accepted where the path names none; undefined: none. */
  organisation: string | undefined;
  signIns: SignIns;
  tokens: TokenReader;
}

export interface McpGateway extends Pick<
  Gateway,
  | 'dryRuns'
  | 'json'
  | 'log'
  | 'metrics'
  | 'nowMs'
  | 'random'
  | 'refusals'
  | 'screening'
  | 'traceContent'
  | 'tracing'
  | 'wallMs'
> {
  policy: Pick<Policy, 'authorize' | 'confirmKey' | 'confirmMcp' | 'settle' | 'refused'>;
  /** Memory budget of request bodies. */
  bodies: ByteBudget;
  bodyDepth: number;
  /** Whether pages of an origin may call. */
  allowsOrigin: (origin: string) => boolean;
  connections: Pick<McpConnections, 'authHeaders' | 'get' | 'refused'>;
  /** Undefined: no runner is set up, so that only servers with HTTP can be reached. */
  runner: Runner | undefined;
  /** Limits what policy does not count. */
  messageRate: MessageRate;
  pins: PinBook;
  running: RunningRequests;
  seals: SessionSeals;
  /** Undefined: no access tokens are accepted, because the gateway does not know its own address. */
  signIn: McpSignInParts | undefined;
  streams: OpenStreams;
}
