// A messages request, decoded and encoded.

import { isCacheMark, settleCacheMarks } from '../cache-marks';
import { createDropList, type DropList } from '../drop-list';
import { fitRequest } from '../fitted-request';
import type { EncodedRequest, TargetContext } from '../format';
import { otherFields, present } from '../json';
import { askForJson } from '../json-mode';
import type { JsonObject, NormalisedRequest } from '../normalised';
import { parsePayload } from '../schema';
import { DEMANDS } from '../target-demands';
import { decodeThinkingField, encodeThinkingField, isThinkingPath } from '../thinking-field';
import { crossSearch } from '../web-search';
import { addsTools } from './added-tools';
import { dialectOf, type Dialect } from './dialects';
import { generationOf, takesSystemTurns } from './generations';
import { callsUnexplained, decodeConversation, encodeConversation } from './messages';
import { encodeReasoning } from './reasoning';
import { withoutForeign } from './replay';
import { encodeSampling } from './sampling';
import { boundTools } from './server-tools';
import {
  decodeToolChoice,
  decodeTools,
  encodeResponseFormat,
  encodeTools,
  isForced,
  withSearch,
} from './tools';
import { refuseUngoverned } from './ungoverned';
import { decodeWebSearch, encodeSearchTool } from './web-search';
import { messagesRequest, tokenCountRequest, type TokenCountRequest } from './wire';

const FIELDS: ReadonlySet<string> = new Set(Object.keys(messagesRequest.shape));
const CONFIG_FIELDS: ReadonlySet<string> = new Set(['effort', 'format']);
const METADATA_FIELDS: ReadonlySet<string> = new Set(['user_id']);

/** Paths of fields that the chat format names differently. */
const PATHS: Readonly<Record<string, string>> = {
  stop: 'stop_sequences',
  response_format: 'output_config.format',
  reasoning_effort: 'output_config.effort',
  parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
  user: 'metadata.user_id',
};

export function decodeRequest(body: JsonObject): NormalisedRequest {
  const wire = parsePayload(messagesRequest, body);
  const shared = decodeShared(wire, body);
  const { extras } = shared;
  addPaths(extras, 'metadata', otherFields(wire.metadata ?? {}, METADATA_FIELDS));
  // Other formats cannot ask for zero tokens, so their bound is one token.
  if (wire.max_tokens === 0) extras['max_tokens'] = 0;
  return {
    ...shared,
    sampling: present({
      temperature: wire.temperature,
      topP: wire.top_p,
      topK: wire.top_k,
      stop: wire.stop_sequences,
    }),
    stream: wire.stream ?? false,
    maxOutputTokens: Math.max(1, wire.max_tokens),
    ...present({
      endUser: wire.metadata?.user_id,
      serviceTier: wire.service_tier && (TIERS_IN[wire.service_tier] ?? wire.service_tier),
    }),
  };
}

/** A token count request. */
export function decodeTokenCountRequest(body: JsonObject): NormalisedRequest {
  return decodeShared(parsePayload(tokenCountRequest, body), body);
}

function decodeShared(wire: TokenCountRequest, body: JsonObject): NormalisedRequest {
  const extras = otherFields(body, FIELDS);
  const config = wire.output_config;
  addPaths(extras, 'output_config', otherFields(config ?? {}, CONFIG_FIELDS));
  if (config?.format?.type === 'unknown') extras['output_config.format'] = config.format.raw;
  const messages = decodeConversation(wire, extras);
  const paths: Record<string, string> = { ...PATHS };
  const tools = decodeTools(wire.tools, extras, paths);
  const choice = decodeToolChoice(wire.tool_choice);
  const webSearch = decodeWebSearch(wire.tools, choice.toolChoice);
  if (webSearch?.forced !== undefined) {
    extras['tool_choice'] = wire.tool_choice;
    delete choice.toolChoice;
  }
  return {
    format: 'anthropic-messages',
    model: wire.model,
    messages,
    tools,
    ...choice,
    ...present({ webSearch, addsTools: addsTools(body['messages']) || undefined }),
    ...decodeThinkingField(body['thinking'], extras),
    sampling: {},
    n: 1,
    stream: false,
    // Every answer of this format has usage.
    includeUsage: true,
    ...present({ provider: wire.provider, reasoningEffort: config?.effort }),
    ...(config?.format?.type === 'json_schema'
      ? { responseFormat: { type: 'json_schema', name: 'answer', schema: config.format.schema } }
      : {}),
    extras,
    paths,
    raw: body,
  };
}

function addPaths(extras: JsonObject, path: string, fields: JsonObject): void {
  for (const [name, value] of Object.entries(fields)) extras[`${path}.${name}`] = value;
}

const TIERS_IN: Readonly<Record<string, string>> = { standard_only: 'default' };
const TIERS_OUT: Readonly<Record<string, string>> = { auto: 'auto', default: 'standard_only' };

export function encodeRequest(request: NormalisedRequest, target: TargetContext): EncodedRequest {
  const dialect = dialectOf(target.providerType);
  const drops = createDropList(target.strict, request);
  if (request.format === 'anthropic-messages') {
    const body = readdress(request, target, dialect, drops);
    return { body, dropped: drops.finish() };
  }
  const { request: fitted, ...changes } = fitRequest(request, DEMANDS.anthropic, drops);
  const body = rebuild(fitted, target, dialect, drops);
  return { body, dropped: drops.finish(), ...changes };
}

/** The client's own payload, with only what the gateway decides changed. */
function readdress(
  request: NormalisedRequest,
  target: TargetContext,
  dialect: Dialect,
  drops: DropList,
): JsonObject {
  refuseUngoverned(request.raw);
  const body: JsonObject = { ...request.raw, model: target.model };
  delete body['provider'];
  const bound = target.maxOutputTokens;
  if (bound !== undefined && body['max_tokens'] !== 0) body['max_tokens'] = bound;
  if (target.maxToolCalls !== undefined) boundTools(body, target.maxToolCalls);
  body['messages'] = withoutForeign(body['messages'], dialect, drops);
  return body;
}

/** The format requires an output bound; every model accepts this one. */
const DEFAULT_MAX_TOKENS = 8_192;

function rebuild(
  request: NormalisedRequest,
  target: TargetContext,
  dialect: Dialect,
  drops: DropList,
): JsonObject {
  const { extras, messages, reasoningBudget, serviceTier, toolChoice } = request;
  const search = crossSearch(request, 'anthropic-messages', target.providerType, drops);
  for (const name of Object.keys(extras)) {
    if (name === reasoningBudget?.path || isThinkingPath(name)) continue;
    if (search?.said.has(name) === true) continue;
    if (!isCacheMark(name)) drops.drop(name);
  }
  dropUnsaid(request, drops);
  const maxTokens = target.maxOutputTokens ?? request.maxOutputTokens ?? DEFAULT_MAX_TOKENS;
  const generation = generationOf(target.model);
  const searchTool = search && encodeSearchTool(search.asked, target.maxToolCalls, drops);
  const tools = withSearch(encodeTools(request, drops), searchTool, search?.asked.forced);
  const { thinking: asked, effort } = encodeReasoning(
    request,
    {
      generation,
      maxTokens,
      forcesCall:
        (toolChoice !== undefined && isForced(toolChoice)) || search?.asked.forced !== undefined,
      beginsAnswer: messages.at(-1)?.role === 'assistant',
      unexplainedCall: callsUnexplained(messages),
    },
    drops,
  );
  const thinking = encodeThinkingField(asked, request, drops);
  const thinks = thinking !== undefined && thinking['type'] !== 'disabled';
  const format = encodeResponseFormat(request.responseFormat, drops);
  const config = present({ effort, format });
  const tier = serviceTier === undefined ? undefined : TIERS_OUT[serviceTier];
  if (serviceTier !== undefined && tier === undefined) drops.drop('service_tier');
  const body: JsonObject = {
    model: target.model,
    max_tokens: maxTokens,
    ...encodeConversation(
      askForJson(request),
      { dialect, systemTurns: takesSystemTurns(target.model) },
      drops,
    ),
    ...tools,
    ...present({ thinking }),
    ...(Object.keys(config).length > 0 ? { output_config: config } : {}),
    ...encodeSampling(request.sampling, generation, thinks, drops),
    ...present({ metadata: encodeMetadata(request, drops), service_tier: tier }),
    ...(request.stream ? { stream: true } : {}),
  };
  settleCacheMarks(body, extras, drops);
  return body;
}

/**
 * Parameters of the normalised request without a field in this format. Default values count as absent.
 */
function dropUnsaid(request: NormalisedRequest, drops: DropList): void {
  const { sampling, modalities } = request;
  const unsaid = {
    n: request.n > 1,
    presence_penalty: Boolean(sampling.presencePenalty),
    frequency_penalty: Boolean(sampling.frequencyPenalty),
    seed: sampling.seed !== undefined,
    logit_bias: Object.keys(sampling.logitBias ?? {}).length > 0,
    logprobs: sampling.logprobs === true,
    top_logprobs: Boolean(sampling.topLogprobs),
    modalities: modalities?.some((kind) => kind !== 'text') ?? false,
    audio: request.audioOutput !== undefined,
  };
  for (const [name, said] of Object.entries(unsaid)) if (said) drops.drop(name);
}

/** The vendor's metadata has one field, the user's id, which other formats have elsewhere. */
function encodeMetadata(request: NormalisedRequest, drops: DropList): JsonObject | undefined {
  const { user_id: named, ...rest } = request.metadata ?? {};
  for (const name of Object.keys(rest)) drops.drop(`metadata.${name}`);
  const user = request.endUser ?? (typeof named === 'string' ? named : undefined);
  return user === undefined ? undefined : { user_id: user };
}
