import { limitApplies, type McpRules } from '@tollgate/contracts';
import type { KeyContext__Output, McpServerEntry__Output } from '@tollgate/contracts/node';

import type { KeyPlan } from './plan';
import type { PlannedLimit } from './planned-limits';

/** The part of an MCP server that all keys of its organisation share. */
export interface OrganisationMcpServer {
  readonly entry: McpServerEntry__Output;
  readonly serverId: string;
  /** Price of a call in nano-USD. */
  readonly callNanoUsd: bigint;
  /** Instead of the call's price, by tool. */
  readonly toolNanoUsd: ReadonlyMap<string, bigint>;
  /** The server's own limits and the organisation's. */
  readonly limits: readonly PlannedLimit[];
}

/** An MCP server as one key may use it. */
export interface McpServerPlan extends OrganisationMcpServer {
  /** The server's rules and those of the grant. */
  readonly rules: readonly McpRules[];
  /** Every limit that counts a call of this key to this server. */
  readonly limits: readonly PlannedLimit[];
}

/** A RangeError names what is invalid. `common`: the limits that all keys share. */
export function organisationMcpServer(
  entry: McpServerEntry__Output,
  common: readonly PlannedLimit[],
): OrganisationMcpServer {
  const { serverId } = entry;
  const price = (text: string): bigint => {
    if (!/^\d{1,16}$/.test(text)) throw new RangeError(`MCP server ${serverId}: invalid price`);
    return BigInt(text);
  };
  return {
    entry,
    serverId,
    callNanoUsd: price(entry.callNanoUsd),
    toolNanoUsd: new Map(
      Object.entries(entry.toolNanoUsd).map(([tool, text]) => [tool, price(text)]),
    ),
    limits: common.filter(
      ({ scopeType, scopeId }) =>
        scopeType === 'ORGANISATION' || (scopeType === 'MCP_SERVER' && scopeId === serverId),
    ),
  };
}

/** A granted server without rules may be used whole. */
export function mcpGrantsOf({
  mcpServerIds,
  mcpGrants,
}: Pick<KeyContext__Output, 'mcpServerIds' | 'mcpGrants'>): ReadonlyMap<string, McpRules> {
  return new Map<string, McpRules>([
    ...mcpServerIds.map((id) => [id, {}] as const),
    ...mcpGrants.map(({ serverId, rules }) => [serverId, rules ?? {}] as const),
  ]);
}

/** Undefined: there is no active server with this identifier, or the key has no grant of it. */
export function grantedMcpServer(plan: KeyPlan, identifier: string): McpServerPlan | undefined {
  const known = plan.usedServers.get(identifier);
  if (known !== undefined) return known;
  const server = plan.organisation.mcpServers.get(identifier);
  const grant = server && plan.mcpGrants.get(server.serverId);
  if (server === undefined || grant === undefined) return undefined;
  const { serverId } = server;
  const made = {
    ...server,
    rules: [server.entry.rules ?? {}, grant],
    limits: [...server.limits, ...plan.ownLimits].filter((limit) =>
      limitApplies(limit, plan.subject, { mcpServerId: serverId }),
    ),
  };
  plan.usedServers.set(identifier, made);
  return made;
}
