// Screens what a client sends to an MCP server, before it is sent.

import { gatewayError } from '@tollgate/contracts';

import type { JsonObject } from '../../formats';
import {
  blockedError,
  checkTexts,
  noteRulesStep,
  openScreening,
  screenTexts,
  type Leaf,
  type PassedText,
} from '../../screening';
import { beginScreening, endScreening } from '../../tracing';
import type { ConnectedExchange } from '../exchange';
import type { McpGateway } from '../gateway';
import { decodeSentinel, encodeSentinel } from '../headers';
import { checkReferences } from '../references';
import { messageTexts } from './message-texts';

/**
 * Notes the rules for the answer as well. Where a rule may act, the message is written anew, and so are
 * headers that repeat masked parts of it.
 * @throws GatewayError `content_blocked`, `plugin_blocked`, `dependency_unavailable`
 */
export async function screenMessage(
  gateway: McpGateway,
  exchange: ConnectedExchange,
): Promise<void> {
  const { document, target, trace } = exchange;
  exchange.document = undefined;
  if (target.screening.length === 0) return;
  const startMs = gateway.nowMs();
  beginScreening(trace);
  try {
    await screenDocument(gateway, exchange, document);
  } finally {
    endScreening(trace, { startMs, endMs: gateway.nowMs() });
  }
}

async function screenDocument(
  gateway: McpGateway,
  exchange: ConnectedExchange,
  document: JsonObject | undefined,
): Promise<void> {
  const { message, requestId, target, trace } = exchange;
  const { checks, screening } = await openScreening(gateway, {
    requestId,
    trace,
    apiKeyId: exchange.allow?.subject?.apiKeyId,
    refs: target.screening,
    // The answers of clients have no result of their own, in which their texts could be put back.
    placeholdersFrom: message?.kind === 'request' ? 0 : otherNumbers(gateway.random),
  });
  Object.assign(exchange, { checks, screening });
  const { program } = screening;
  if (!program.places.has('MCP_REQUEST')) return;
  const bodyTexts = document ? messageTexts(document).map(passedText) : [];
  const texts = [...bodyTexts, ...headerTexts(exchange, bodyTexts)];
  const startMs = gateway.nowMs();
  await screenTexts(gateway, screening, texts);
  noteRulesStep(trace, screening, { startMs, endMs: gateway.nowMs() });
  const rules = screening.externalRules('MCP_REQUEST');
  if (checks && rules.length > 0 && !screening.blocked()) {
    await checkTexts(screening, checks, rules, texts);
  }
  const blocked = screening.blocked();
  if (blocked) {
    // Nothing was sent to the server, so the request costs nothing, but it has a record.
    exchange.refusedByRule = true;
    throw blockedError(blocked);
  }
  checkNames(exchange);
  // Of a field that is sent twice two parsers take different ones, so what was screened is what is sent.
  if (document && program.blocks('MCP_REQUEST')) {
    exchange.body = Buffer.from(JSON.stringify(document));
  }
  maskHeaders(exchange, bodyTexts);
}

/** Numbers that the placeholders of a running call do not have. */
function otherNumbers(random: () => number): number {
  return 1_000 + Math.floor(random() * 900_000);
}

const OF_CLIENT = { place: 'MCP_REQUEST', role: 'user', fresh: true } as const;

function passedText({ set, text }: Pick<Leaf, 'set' | 'text'>): PassedText {
  return { kind: OF_CLIENT, set, text, was: text };
}

function isRepeating(name: string): boolean {
  return name === 'mcp-name' || name.startsWith('mcp-param-');
}

/** What headers have that is no text of the message. */
function headerTexts(
  { maskedHeaders, req: { headers } }: ConnectedExchange,
  bodyTexts: readonly PassedText[],
): PassedText[] {
  const known = new Set(bodyTexts.map(({ was }) => was));
  return Object.keys(headers).flatMap((name) => {
    if (!isRepeating(name)) return [];
    const text = decodeSentinel(String(headers[name])) ?? String(headers[name]);
    if (text === '' || known.has(text)) return [];
    const set = (changed: string): void => {
      maskedHeaders[name] = encodeSentinel(changed);
    };
    return [passedText({ set, text })];
  });
}

/** Headers repeat parts of the message. */
function maskHeaders(
  { maskedHeaders, req: { headers } }: ConnectedExchange,
  texts: readonly PassedText[],
): void {
  const masked = new Map(
    texts.flatMap(({ text, was }) => (text === was ? [] : [[was, text] as const])),
  );
  if (masked.size === 0) return;
  for (const name of Object.keys(headers)) {
    const text = isRepeating(name)
      ? masked.get(decodeSentinel(String(headers[name])) ?? '')
      : undefined;
    if (text !== undefined) maskedHeaders[name] = encodeSentinel(text);
  }
}

/**
 * Policy has decided about what the message named before, so a masked name must not mean something else.
 * @throws GatewayError `content_blocked`, `mcp_access_denied`
 */
function checkNames(exchange: ConnectedExchange): void {
  const { message } = exchange;
  if (message?.kind !== 'request') return;
  for (const field of ['name', 'uri']) {
    const named = message.params[field];
    if (message.name === '' || named === undefined || named === message.name) continue;
    exchange.refusedByRule = true;
    const text = `params.${field}: a screening rule masks a part of it, so that it would name something else.`;
    throw gatewayError('content_blocked', text, { param: `params.${field}` });
  }
  checkReferences(exchange);
}
