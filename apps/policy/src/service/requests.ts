import {
  AFFINITY_BYTES,
  ANY_UNIT,
  END_USER_CHARACTERS,
  isOneOf,
  isRouteFamily,
  MCP_OPERATIONS,
  mcpOperationOf,
  MOST_MS,
  normalisePath,
  OUTCOMES,
  PASSTHROUGH_METHODS,
  PASSTHROUGH_OPERATION,
  RESPONSE_CACHE_RESULTS,
  SESSION_CHARACTERS,
  SETTLED_NUMBERS,
  SETTLED_TEXTS,
  TAGS_CHARACTERS,
  USAGE_QUALITIES,
} from '@tollgate/contracts';
import type {
  AuthorizeRequest__Output,
  ClaimedAttribution__Output,
  ExtendRequest__Output,
  McpResult__Output,
  ServerTool__Output,
  SettleRequest__Output,
} from '@tollgate/contracts/node';
import { unpackTrace } from '@tollgate/kit/tracing';

import { invalidArgument } from '../failure';
import { checkTurn, isWithin, money, outside, TOKENS_MAX, within } from './bounds';
import { checkTiers, checkTierText } from './request-tiers';

// Input errors of calling services, checked on entry. A client's mistakes (an unknown model, say)
// are refusals and not checked here.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ANY_UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const CHOICES_MAX = 1_024;
const UNITS_MAX = 1_000_000_000;
const STORED_ID = /^[A-Za-z0-9_-]{0,256}$/;
const UNIT = /^[a-z0-9][a-z0-9_.:-]{0,59}$/;
const QUANTITY = /^\d{1,15}(\.\d{1,9})?$/;
const TEXT_MAX = 1_024;
const TOOLS_MAX = 128;
const ITEMS_NAMED_MAX = 1_024;
const ITEMS_MADE_MAX = 64;
const ITEM_ID_MAX = 256;
const UPSTREAMS_MAX = 16;
const TOOL_CALLS_MAX = 1_000_000;
const TOOL_TOKENS_MAX = 1_000_000;

const MCP_IDENTIFIER_MAX = 63;
const PROVIDER_MAX = 256;
const MCP_METHOD_MAX = 128;
const MCP_NAME_MAX = 2_048;
const MCP_WORD_MAX = 64;
const TRACE_ID = /^(?:[0-9a-f]{32})?$/;
const SPAN_ID = /^(?:[0-9a-f]{16})?$/;

const ATTEMPTS_MAX = 64;
/** 64 entries of the longest keys and values of tags. */
const METADATA_MAX = 64 * (32 + 1 + 128 + 2);

export function checkAuthorize(request: AuthorizeRequest__Output): void {
  checkId(request);
  checkMcpCall(request);
  checkPassthrough(request);
  if (request.keySha256.length !== 32) throw invalidArgument('key_sha256: must be 32 bytes');
  within('input_tokens_estimate', request.inputTokensEstimate, TOKENS_MAX);
  within(
    'audio_input_tokens_estimate',
    request.audioInputTokensEstimate,
    request.inputTokensEstimate,
  );
  within('max_output_tokens', request.maxOutputTokens, TOKENS_MAX);
  within('output_tokens_estimate', request.outputTokensEstimate, TOKENS_MAX);
  within('added_tokens', request.addedTokens, TOKENS_MAX);
  within('choices', request.choices, CHOICES_MAX);
  if (request.family !== '' && !isRouteFamily(request.family)) {
    throw invalidArgument('family: not a known route family');
  }
  for (const [unit, count] of Object.entries(request.unitsEstimate)) {
    if (!UNIT.test(unit)) throw invalidArgument('units_estimate: not a unit name');
    within(`units_estimate.${unit}`, count, UNITS_MAX);
  }
  if (request.serverTools.length > TOOLS_MAX) throw invalidArgument('server_tools: too many');
  for (const tool of request.serverTools) checkTool(tool);
  checkTiers(request);
  if (request.trace.length > 0 && !unpackTrace(request.trace)) {
    throw invalidArgument('trace: must be 25 bytes');
  }
  if (request.affinity.length !== 0 && request.affinity.length !== AFFINITY_BYTES) {
    throw invalidArgument(`affinity: must be ${String(AFFINITY_BYTES)} bytes`);
  }
  if (request.conversation.length !== 0 && request.conversation.length !== AFFINITY_BYTES) {
    throw invalidArgument(`conversation: must be ${String(AFFINITY_BYTES)} bytes`);
  }
  if (request.claimed !== null) checkClaimed(request.claimed);
  if (request.shadowOf !== '' || request.shadowExperimentId !== '') checkShadow(request);
  checkItems('item_ids', request.itemIds, ITEMS_NAMED_MAX);
  checkItems('replayed_item_ids', request.replayedItemIds, ITEMS_NAMED_MAX);
  for (const [field, text] of [
    ['client_request_id', request.clientRequestId],
    ['route', request.route],
  ] as const) {
    if (text.length > TEXT_MAX) throw invalidArgument(`${field}: too long`);
  }
}

/** A shadow has no effect but its answer, and counts for nobody. */
function checkShadow(request: AuthorizeRequest__Output): void {
  if (!UUID.test(request.shadowOf)) throw invalidArgument('shadow_of: must be the id of a request');
  if (!ANY_UUID.test(request.shadowExperimentId)) {
    throw invalidArgument('shadow_experiment_id: must be the id of an experiment');
  }
  const { claimed, conversationId, itemIds, mcp, passthrough, replayedItemIds } = request;
  const stored = conversationId + request.previousResponseId + request.storedId !== '';
  const items = itemIds.length + replayedItemIds.length > 0;
  if (stored || items || mcp || passthrough || claimed || request.serverTools.length > 0) {
    throw invalidArgument('shadow_of: goes with neither stored objects nor tools nor attribution');
  }
}

function checkClaimed({ endUser, metadata, session, tags }: ClaimedAttribution__Output): void {
  for (const [field, text, most] of [
    ['end_user', endUser, END_USER_CHARACTERS],
    ['session', session, SESSION_CHARACTERS],
    ['tags', tags, TAGS_CHARACTERS],
    ['metadata', metadata, METADATA_MAX],
  ] as const) {
    if (text.length > most) throw invalidArgument(`claimed.${field}: too long`);
  }
}

/** The operations of MCP servers name one, and no others do. */
function checkMcpCall({ operation, mcp }: AuthorizeRequest__Output): void {
  if (isOneOf(MCP_OPERATIONS, operation) !== (mcp !== null)) {
    throw invalidArgument(
      'mcp: belongs to the operations mcp_call and mcp_request, and only to them',
    );
  }
  if (mcp === null) return;
  checkMcpIdentifier('mcp.server', mcp.server);
  if (mcpOperationOf(mcp.method) !== operation) {
    throw invalidArgument('mcp.method: is not of this operation');
  }
  if (mcp.method === '' || mcp.method.length > MCP_METHOD_MAX) {
    throw invalidArgument('mcp.method: must have 1 to 128 characters');
  }
  if (mcp.name.length > MCP_NAME_MAX) throw invalidArgument('mcp.name: too long');
}

/** Only the operation `passthrough` names a provider, and its path in the spelling that rules decide by. */
function checkPassthrough({ operation, passthrough }: AuthorizeRequest__Output): void {
  if ((operation === PASSTHROUGH_OPERATION) !== (passthrough !== null)) {
    throw invalidArgument('passthrough: belongs to the operation passthrough, and only to it');
  }
  if (passthrough === null) return;
  const { method, path, provider, requestBytes } = passthrough;
  if (provider.length > PROVIDER_MAX) throw invalidArgument('passthrough.provider: too long');
  if (!isOneOf(PASSTHROUGH_METHODS, method)) {
    throw invalidArgument('passthrough.method: not a known method');
  }
  const normalised = normalisePath(path);
  if (!('path' in normalised) || normalised.path !== path) {
    throw invalidArgument('passthrough.path: is not normalised');
  }
  within('passthrough.request_bytes', requestBytes, Number.MAX_SAFE_INTEGER);
}

export function checkMcpIdentifier(field: string, identifier: string): void {
  if (identifier.length > MCP_IDENTIFIER_MAX) throw invalidArgument(`${field}: too long`);
}

function checkMcpResult(result: McpResult__Output): void {
  const { protocolVersion, resultType, sessionSha256, traceId } = result;
  if (!isRpcCode(result.rpcErrorCode)) throw invalidArgument('mcp.rpc_error_code: not a code');
  for (const [field, text] of [
    ['protocol_version', protocolVersion],
    ['result_type', resultType],
  ] as const) {
    if (text.length > MCP_WORD_MAX) throw invalidArgument(`mcp.${field}: too long`);
  }
  within('mcp.request_bytes', result.requestBytes, Number.MAX_SAFE_INTEGER);
  within('mcp.response_bytes', result.responseBytes, Number.MAX_SAFE_INTEGER);
  if (sessionSha256.length > 0 && sessionSha256.length !== 32) {
    throw invalidArgument('mcp.session_sha256: must be 32 bytes');
  }
  if (!TRACE_ID.test(traceId)) throw invalidArgument('mcp.trace_id: must be 32 hexadecimal digits');
}

const isRpcCode = (code: number): boolean =>
  Number.isInteger(code) && code >= -(2 ** 31) && code < 2 ** 31;

function checkItems(field: string, ids: readonly string[], max: number): void {
  if (ids.length > max) throw invalidArgument(`${field}: too many`);
  if (ids.some((id) => id.length > ITEM_ID_MAX)) throw invalidArgument(`${field}: too long`);
}

function checkTool(tool: ServerTool__Output): void {
  const { unit, param, maxCalls, inputTokensPerCall, upstreams } = tool;
  if (upstreams.length > UPSTREAMS_MAX) throw invalidArgument('server_tools.upstreams: too many');
  if (unit !== '' && unit !== ANY_UNIT && !UNIT.test(unit)) {
    throw invalidArgument('server_tools.unit: not a unit name');
  }
  if (param.length > TEXT_MAX) throw invalidArgument('server_tools.param: too long');
  within('server_tools.max_calls', maxCalls, TOOL_CALLS_MAX);
  within('server_tools.input_tokens_per_call', inputTokensPerCall, TOOL_TOKENS_MAX);
}

export function checkExtend(request: ExtendRequest__Output): void {
  checkId(request);
  checkTierText('service_tier', request.serviceTier);
  within('add_output_tokens', request.addOutputTokens, TOKENS_MAX);
  within('add_input_tokens', request.addInputTokens, TOKENS_MAX);
  if (request.addNanoUsd !== '') money('add_nano_usd', request.addNanoUsd);
  if (!STORED_ID.test(request.conversationId)) throw invalidArgument('conversation_id: not an id');
  checkTurn(request);
  if (request.earlierNanoUsd !== '') money('earlier_nano_usd', request.earlierNanoUsd);
}

export function checkSettle(request: SettleRequest__Output): void {
  checkId(request);
  checkTurn(request);
  if (request.cancelled) return;
  if (!isOneOf(OUTCOMES, request.outcome)) throw invalidArgument('outcome: not a known outcome');
  if (!isOneOf(USAGE_QUALITIES, request.usageQuality)) {
    throw invalidArgument('usage_quality: not a known quality');
  }
  money('cost_nano_usd', request.costNanoUsd);
  for (const [name, tokens] of Object.entries(request.usage ?? {})) {
    if (typeof tokens === 'number' && !isWithin(tokens, TOKENS_MAX)) {
      throw outside(`usage.${name}`, TOKENS_MAX);
    }
  }
  for (const [unit, quantity] of Object.entries(request.units)) {
    if (!UNIT.test(unit)) throw invalidArgument('units: not a unit name');
    if (!QUANTITY.test(quantity)) throw invalidArgument(`units.${unit}: not a quantity`);
  }
  checkItems('item_ids', request.itemIds, ITEMS_MADE_MAX);
  if (request.mcp !== null) checkMcpResult(request.mcp);
  within('upstream_ms', request.upstreamMs, MOST_MS);
  for (const { name, column, most } of SETTLED_NUMBERS) within(column, request[name], most);
  for (const { name, column, most } of SETTLED_TEXTS) {
    if (request[name].length > most) throw invalidArgument(`${column}: too long`);
  }
  if (!TRACE_ID.test(request.traceId)) {
    throw invalidArgument('trace_id: must be 32 hexadecimal digits');
  }
  if (!SPAN_ID.test(request.spanId))
    throw invalidArgument('span_id: must be 16 hexadecimal digits');
  if (request.attempts.length > ATTEMPTS_MAX) throw invalidArgument('attempts: too many');
  checkTierText('service_tier', request.serviceTier);
  for (const attempt of request.attempts)
    checkTierText('attempts.service_tier', attempt.serviceTier);
  checkResponseCache(request);
  checkSavings(request);
}

function checkResponseCache({ responseCache, cachedCostNanoUsd }: SettleRequest__Output): void {
  if (responseCache !== '' && !isOneOf(RESPONSE_CACHE_RESULTS, responseCache)) {
    throw invalidArgument('response_cache: not a known result');
  }
  if (cachedCostNanoUsd !== '') money('cached_cost_nano_usd', cachedCostNanoUsd);
}

function checkSavings({ attempts, firstChoiceCostNanoUsd }: SettleRequest__Output): void {
  if (firstChoiceCostNanoUsd !== '') money('first_choice_cost_nano_usd', firstChoiceCostNanoUsd);
  for (const { uncachedCostNanoUsd: uncached } of attempts) {
    if (uncached !== '') money('attempts.uncached_cost_nano_usd', uncached);
  }
}

function checkId({ requestId }: { requestId: string }): void {
  if (!UUID.test(requestId)) throw invalidArgument('request_id: must be a lower-case UUIDv7');
}
