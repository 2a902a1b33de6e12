// What requests to MCP servers need: parts of the gateway that models use too, and their own.

import type { Gateway } from '../exchange/gateway';
import type { ByteBudget } from '../intake';
import type { Policy } from '../policy';
import type { McpConnections } from './auth';
import type { PinBook } from './pins';
import type { Runner } from './relay/runner';
import type { SessionSeals } from './session/sealed-session';
import type { MessageRate } from './streams/message-rate';
import type { OpenStreams } from './streams/open-streams';
import type { RunningRequests } from './streams/running-requests';

export interface McpGateway extends Pick<Gateway, 'json' | 'log' | 'metrics' | 'nowMs' | 'wallMs'> {
  policy: Pick<
    Policy,
    'authorize' | 'confirmKey' | 'confirmMcp' | 'openHold' | 'settle' | 'refused'
  >;
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
  streams: OpenStreams;
}
