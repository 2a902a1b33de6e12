import { gatewayError, type GatewayError } from '@tollgate/contracts';
import type { Block, Screening } from '@tollgate/screening';

/** The client's error. It names the rule, and never the text. */
export function blockedError({ cause, message, named, place }: Block): GatewayError {
  const { policy, rule } = named;
  const name = `${policy}/${rule.id}`;
  if (cause === 'UNAVAILABLE') {
    const text = `The screening rule ${name} has no verdict about the ${WORDS[place]}, because its service is unavailable. Retry later.`;
    return gatewayError('dependency_unavailable', text, {
      details: { dependency: 'screening', rule: name },
    });
  }
  const text =
    cause === 'UNREADABLE'
      ? `The screening rule ${name} cannot read what the request has instead of text. Send text.`
      : (rule.message ?? `The screening rule ${name} blocked the ${WORDS[place]}.`);
  if (rule.kind === 'PLUGIN') {
    const told = message ?? rule.message ?? `The plugin ${name} refused the ${WORDS[place]}.`;
    return gatewayError('plugin_blocked', told, {
      details: { plugin: name, place: place.toLowerCase() },
    });
  }
  return gatewayError('content_blocked', text, {
    details: { rule: name, place: place.toLowerCase() },
  });
}

/** @throws GatewayError `content_blocked`, `dependency_unavailable` */
export function throwIfBlocked(screening: Screening | undefined): void {
  const blocked = screening?.blocked();
  if (blocked) throw blockedError(blocked);
}

const WORDS = {
  INPUT: 'text of the request',
  TOOL_RESULTS: 'result of a tool in the request',
  OUTPUT: 'answer of the model',
  TOOL_ARGUMENTS: 'arguments of a tool in the answer',
  MCP_REQUEST: 'message to the MCP server',
  MCP_RESULT: 'message of the MCP server',
} as const;
