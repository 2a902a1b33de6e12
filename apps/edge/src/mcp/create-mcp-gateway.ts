import type { KeyRing } from '@tollgate/contracts/node';

import type { Agents } from '../upstream/agents';
import type { McpGateway } from './gateway';
import { createPinBook } from './pins';
import { hostMatcher, type Runner } from './relay/runner';
import { screeningKey } from './screening/screening-key';
import { createSessionSeals } from './session/sealed-session';
import { createMessageRate } from './streams/message-rate';
import { createOpenStreams } from './streams/open-streams';
import { createRunningRequests } from './streams/running-requests';

export interface McpGatewayDeps extends Omit<
  McpGateway,
  'allowsOrigin' | 'messageRate' | 'pins' | 'runner' | 'running' | 'seals' | 'streams'
> {
  /** The origins whose pages may call; `*` for any. */
  origins: readonly string[];
  /** Seals sessions as well. */
  keyRing: KeyRing;
  /** Undefined: there is no runner. */
  runner: RunnerSettings | undefined;
  streamsPerKeyMost: number;
  messagesPerMinute: number;
  streamsMost: number;
}

export interface RunnerSettings {
  url: string;
  /** Patterns of the hosts that replicas may name as their own; empty: only that of the URL. */
  hosts: readonly string[];
  token: string | undefined;
  /** For addresses of the gateway itself, without the rules for providers. */
  agents: Agents;
  connectTimeoutMs: number;
}

/** Builds what requests to MCP servers need. */
export function createMcpGateway(deps: McpGatewayDeps): McpGateway {
  const { keyRing, messagesPerMinute, origins, runner, streamsMost, streamsPerKeyMost, ...shared } =
    deps;
  const any = origins.includes('*');
  const streams = createOpenStreams({
    ask: async (keySha256, server) => {
      const { valid, target } = await deps.policy.confirmMcp(keySha256, server);
      const screening = screeningKey(target?.screening ?? []);
      return { valid, granted: target !== undefined, screening };
    },
    perKeyMost: streamsPerKeyMost,
    most: streamsMost,
    nowMs: deps.nowMs,
  });
  deps.metrics.watchMcp(streams.size);
  return {
    ...shared,
    allowsOrigin: (origin) => any || origins.includes(origin),
    messageRate: createMessageRate({ perMinute: messagesPerMinute, nowMs: deps.nowMs }),
    pins: createPinBook({ nowMs: deps.nowMs }),
    runner: runner && openRunner(runner),
    running: createRunningRequests(),
    seals: createSessionSeals(keyRing),
    streams,
  };
}

function openRunner({ agents, connectTimeoutMs, hosts, token, url }: RunnerSettings): Runner {
  const patterns = hosts.length > 0 ? hosts : [new URL(url).host];
  return {
    url,
    mayCall: hostMatcher(patterns),
    agentOf: (origin) => agents.open(origin, connectTimeoutMs).agent,
    token,
  };
}
