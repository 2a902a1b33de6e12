import { allAllow, namedBy, type McpNameKind } from '@tollgate/contracts';
import type { McpCall__Output } from '@tollgate/contracts/node';

import { grantedMcpServer, type KeyPlan, type McpServerPlan } from '../directory';
import type { Refusal } from './ask';
import { invalidKey, keyIsValid } from './checks';
import { mcpRegionFits } from './regions';

// Checks of a request to an MCP server, before any counter is read.

const NAME_SHOWN = 200;

/** What a name is called in `details` and in the message. */
const WORDS: Readonly<Record<McpNameKind, string>> = {
  tools: 'tool',
  prompts: 'prompt',
  resources: 'resource',
};

export type McpAccess = { readonly refusal: Refusal } | { readonly server: McpServerPlan };

/**
 * The server that a request may use. An unknown server, one that is switched off and one without a
 * grant are refused alike, so that a key cannot find out what exists.
 */
export function mcpAccess(
  plan: KeyPlan | undefined,
  { server: identifier, method, name }: McpCall__Output,
  nowMs: number,
): McpAccess {
  if (plan === undefined || !keyIsValid(plan, nowMs)) return { refusal: invalidKey(plan) };
  const server = grantedMcpServer(plan, identifier);
  if (server === undefined) {
    return {
      refusal: {
        code: 'mcp_access_denied',
        details: { server: identifier.slice(0, NAME_SHOWN) },
      },
    };
  }
  const outside = mcpRegionFits(plan, server);
  if (outside !== undefined) return { refusal: outside };
  const kind = namedBy(method);
  if (kind === undefined || allAllow(server.rules, kind, name)) return { server };
  const word = WORDS[kind];
  const shown = name.slice(0, NAME_SHOWN);
  return {
    refusal: {
      code: 'mcp_access_denied',
      message:
        `This API key may not use the ${word} "${shown}" of the MCP server "${identifier}". ` +
        'Ask an administrator to allow it.',
      details: { server: identifier, [word]: shown },
    },
  };
}
