import { gatewayError, type GatewayError } from '@tollgate/contracts';
import type { Block, Screening } from '@tollgate/screening';

/** The client's error. It names the rule, and never the text. */
export function blockedError({ breach, cause, message, named, place }: Block): GatewayError {
  const { policy, rule } = named;
  const name = `${policy}/${rule.id}`;
  if (cause === 'UNAVAILABLE') {
    const text = `The screening rule ${name} has no verdict about the ${WORDS[place]}, because its service is unavailable. Retry later.`;
    return gatewayError('dependency_unavailable', text, {
      details: { dependency: 'screening', rule: name },
    });
  }
  const details = { rule: name, place: place.toLowerCase() };
  if (cause === 'FOUND' && breach) {
    const { param, path } = breach;
    const text = rule.message ?? breachText(breach, name);
    if (param !== undefined) return gatewayError('content_blocked', text, { param, details });
    return gatewayError('content_blocked', text, {
      details: path === undefined ? details : { ...details, path },
    });
  }
  const text =
    cause === 'UNREADABLE'
      ? unreadableText(place, name)
      : (rule.message ?? `The screening rule ${name} blocked the ${WORDS[place]}.`);
  if (rule.kind === 'PLUGIN') {
    const told = message ?? rule.message ?? `The plugin ${name} refused the ${WORDS[place]}.`;
    return gatewayError('plugin_blocked', told, {
      details: { plugin: name, place: place.toLowerCase() },
    });
  }
  return gatewayError('content_blocked', text, { details });
}

function breachText({ param, words }: NonNullable<Block['breach']>, name: string): string {
  if (param === undefined) {
    return `The screening rule ${name} blocked the ${WORDS.OUTPUT}: ${words}.`;
  }
  return `${param}: ${words} (screening rule ${name}).`;
}

function unreadableText(place: Block['place'], name: string): string {
  if (place === 'OUTPUT') return `The screening rule ${name} cannot read the ${WORDS.OUTPUT}.`;
  return `The screening rule ${name} cannot read what the request has instead of text. Send text.`;
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
