import type { McpGrant, McpRules, McpServerEntry } from '@tollgate/contracts/node';

import type { StoredMcpRules } from '../entities/mcp-server.entity';

/** MCP servers and grants of them, as decisions about keys need them. */

/** A server in the organisation's part of a context. */
export interface StoredMcpServer {
  id: string;
  identifier: string;
  connection_version: number;
  call: string;
  tools: Record<string, string>;
  charge_failures: boolean;
  rules: StoredMcpRules;
  pins: { name: string; sha256: string }[];
  region: string | null;
}

export interface StoredMcpGrant {
  id: string;
  rules: StoredMcpRules;
}

export function mcpServerOf(server: StoredMcpServer): McpServerEntry {
  return {
    serverId: server.id,
    identifier: server.identifier,
    connectionVersion: server.connection_version,
    callNanoUsd: server.call,
    toolNanoUsd: server.tools,
    chargeFailures: server.charge_failures,
    rules: rulesOf(server.rules),
    region: server.region ?? '',
    pins: server.pins.map(({ name, sha256 }) => ({
      tool: name,
      sha256: Buffer.from(sha256, 'hex'),
    })),
  };
}

export function mcpGrantOf({ id, rules }: StoredMcpGrant): McpGrant {
  return { serverId: id, rules: rulesOf(rules) };
}

/** A kind that is not stored allows everything, as one that is absent in the message. */
function rulesOf({ tools, prompts, resources }: StoredMcpRules): McpRules {
  return { tools: tools ?? null, prompts: prompts ?? null, resources: resources ?? null };
}
