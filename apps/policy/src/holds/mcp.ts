import type { Limit } from '@tollgate/contracts';
import type {
  AuthorizeRequest__Output,
  McpCall__Output,
  McpTarget,
} from '@tollgate/contracts/node';

import { screeningOf, type HoldSize } from '../decide';
import {
  grantedMcpServer,
  type KeyPlan,
  type McpServerPlan,
  type PlannedLimit,
} from '../directory';
import { unavailable } from '../failure';
import type { TicketMcp } from './ticket';

// A hold of a request to an MCP server: no tokens, a fixed price, and no candidates.

export interface McpOffer {
  readonly server: McpServerPlan;
  readonly call: McpCall__Output;
  readonly size: HoldSize;
  /** The limits that count the request. */
  readonly limits: readonly PlannedLimit[];
}

/** `requestsPerMinute`: of one key, for what is no call, such as lists and handshakes. */
export function mcpOffer(
  { operation, mcp }: AuthorizeRequest__Output & { readonly mcp: McpCall__Output },
  plan: KeyPlan,
  server: McpServerPlan,
  requestsPerMinute: number,
): McpOffer {
  const counts = operation === 'mcp_call';
  return {
    server,
    call: mcp,
    size: sizeOfCall(counts ? priceOfCall(server, mcp) : 0n),
    limits: counts ? server.limits : [floodLimit(plan, requestsPerMinute)],
  };
}

/** In nano-USD. Prompts and resources have the server's price of a call. */
function priceOfCall(server: McpServerPlan, { method, name }: McpCall__Output): bigint {
  const own = method === 'tools/call' ? server.toolNanoUsd.get(name) : undefined;
  return own ?? server.callNanoUsd;
}

function sizeOfCall(costNanoUsd: bigint): HoldSize {
  return {
    inputTokens: 0,
    audioInputTokens: 0,
    choices: 1,
    textOutput: true,
    units: undefined,
    candidates: [],
    heldOutputTokens: 0,
    costNanoUsd,
  };
}

/** Ends the id of the limit that guards against floods; the catalog does not know it. */
const FLOOD = ':mcp';

function floodLimit({ subject }: KeyPlan, requestsPerMinute: number): PlannedLimit {
  return {
    limitId: `${subject.apiKeyId}${FLOOD}`,
    kind: 'RATE_REQUESTS',
    metric: '',
    scopeType: 'API_KEY',
    scopeId: subject.apiKeyId,
    period: '',
    windowSeconds: 0,
    limit: BigInt(requestsPerMinute),
    mode: 'HARD',
    clamp: false,
    rate: true,
  };
}

/** It counts requests that add nothing to other limits. */
export function isFloodLimit({ limitId }: Pick<Limit, 'limitId'>): boolean {
  return limitId.endsWith(FLOOD);
}

export function ticketMcp({ server, call }: McpOffer): TicketMcp {
  const { method, name } = call;
  return { serverId: server.serverId, identifier: server.entry.identifier, method, name };
}

/** The server as the caller needs it. Throws when it is gone since the hold was taken. */
export function heldTarget(plan: KeyPlan, { identifier, serverId }: TicketMcp): McpTarget {
  const server = grantedMcpServer(plan, identifier);
  if (server?.serverId !== serverId) {
    throw unavailable('catalog', 'the MCP server of this request is gone');
  }
  return targetOf(plan, server);
}

export function targetOf(plan: KeyPlan, { entry, rules, serverId }: McpServerPlan): McpTarget {
  return {
    serverId: entry.serverId,
    identifier: entry.identifier,
    connectionVersion: entry.connectionVersion,
    rules: rules.map(({ tools, prompts, resources }) => ({
      tools: wireRules(tools),
      prompts: wireRules(prompts),
      resources: wireRules(resources),
    })),
    pins: entry.pins,
    chargeFailures: entry.chargeFailures,
    region: entry.region,
    screening: screeningOf(plan.organisation.screening, plan.subject, [], undefined, serverId),
  };
}

function wireRules(rules: McpServerPlan['rules'][number]['tools']) {
  return rules ? { allowed: [...rules.allowed], denied: [...rules.denied] } : null;
}
