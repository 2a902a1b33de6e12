// A responses request, decoded and encoded.

import { gatewayError } from '@tollgate/contracts';

import { createDropList, type DropList } from '../drop-list';
import { fitRequest } from '../fitted-request';
import type { EncodedRequest, TargetContext } from '../format';
import { addOtherFields, objectOf, otherFields, present, textOf } from '../json';
import { mentionJson } from '../json-mode';
import type { JsonObject, NormalisedRequest, Sampling, ToolDefinition } from '../normalised';
import { encodeReasoning } from '../openai-efforts';
import { parsePayload } from '../schema';
import { crossSearch } from '../web-search';
import { dialectOf, type Dialect } from './dialects';
import { decodeInput, encodeMessages } from './input';
import { withoutForeign } from './replay';
import { sealedItem } from './seal';
import { addsTools, boundTools } from './server-tools';
import {
  decodeFormat,
  decodeToolChoice,
  decodeTools,
  encodeFormat,
  encodeTool,
  encodeToolChoice,
} from './tools';
import { decodeWebSearch, encodeSearchTool, SOURCES } from './web-search';
import { responsesRequest, type ResponsesRequest } from './wire';

const FIELDS: ReadonlySet<string> = new Set(Object.keys(responsesRequest.shape));
const REASONING_FIELDS: ReadonlySet<string> = new Set(['effort']);
const TEXT_FIELDS: ReadonlySet<string> = new Set(['format']);
const STREAM_FIELDS: ReadonlySet<string> = new Set(['include_obfuscation']);

const LOGPROBS = 'message.output_text.logprobs';
const SEALED_REASONING = 'reasoning.encrypted_content';

/** Paths of fields that the chat format names differently. */
const PATHS: Readonly<Record<string, string>> = {
  reasoning_effort: 'reasoning.effort',
  response_format: 'text.format',
  'response_format.json_schema': 'text.format',
  logprobs: 'include',
};

export function decodeRequest(body: JsonObject): NormalisedRequest {
  const wire = parsePayload(responsesRequest, body);
  checkAsksSomething(wire, body);
  const extras = otherFields(body, FIELDS);
  addNested(wire, extras);
  const paths: Record<string, string> = { ...PATHS };
  if (!wire.include?.includes(LOGPROBS)) paths['logprobs'] = 'top_logprobs';
  if (!wire.user && wire.safety_identifier) paths['user'] = 'safety_identifier';
  else if (wire.safety_identifier) extras['safety_identifier'] = wire.safety_identifier;
  const messages = decodeInput(wire, extras);
  const tools = decodeTools(wire.tools ?? [], extras, paths);
  const effort = wire.reasoning?.effort;
  const format = wire.text?.format;
  const webSearch = decodeWebSearch(wire, body);
  return {
    format: 'openai-responses',
    model: wire.model,
    messages,
    tools,
    ...decodeChoice(wire, tools, extras),
    sampling: decodeSampling(wire),
    n: 1,
    stream: wire.stream ?? false,
    // Every answer of this format has usage.
    includeUsage: true,
    ...present({
      webSearch,
      addsTools: addsTools(body['input']) || undefined,
      provider: wire.provider,
      responseFormat: format && decodeFormat(format, extras),
      maxOutputTokens: wire.max_output_tokens,
      reasoningEffort: effort,
      metadata: wire.metadata,
      endUser: textOf(wire.user) ?? textOf(wire.safety_identifier),
      serviceTier: wire.service_tier,
    }),
    extras,
    paths,
    raw: body,
  };
}

/** Fields that can replace the input: state that the provider stores. */
const INPUTS = ['input', 'prompt', 'previous_response_id', 'conversation'] as const;

function checkAsksSomething(wire: ResponsesRequest, body: JsonObject): void {
  const given = INPUTS.some((field) => body[field] !== undefined && body[field] !== null);
  const empty = Array.isArray(wire.input) && wire.input.length === 0 && !wire.instructions;
  if (given && !empty) return;
  const message = empty ? 'must hold at least one item' : 'must be text or a list of items';
  throw gatewayError('invalid_request', `input: ${message}`, { param: 'input' });
}

/** Turns fields that other formats lack into extras, by path. Default values count as absent. */
function addNested(wire: ResponsesRequest, extras: JsonObject): void {
  addOtherFields(wire.reasoning ?? {}, REASONING_FIELDS, 'reasoning', extras);
  addOtherFields(wire.text ?? {}, TEXT_FIELDS, 'text', extras);
  addOtherFields(wire.stream_options ?? {}, STREAM_FIELDS, 'stream_options', extras);
  if (wire.stream_options?.include_obfuscation) {
    extras['stream_options.include_obfuscation'] = true;
  }
  if (wire.store) extras['store'] = true;
  if (wire.background) extras['background'] = true;
  if (wire.truncation && wire.truncation !== 'disabled') extras['truncation'] = wire.truncation;
  for (const [at, name] of (wire.include ?? []).entries()) {
    // Translated answers always have sealed reasoning.
    if (name !== LOGPROBS && name !== SEALED_REASONING) extras[`include[${at}]`] = name;
  }
}

type Choice = Pick<NormalisedRequest, 'toolChoice' | 'parallelToolCalls'>;

/** Without tools that other formats know, tool settings are dropped. */
function decodeChoice(
  wire: ResponsesRequest,
  tools: readonly ToolDefinition[],
  extras: JsonObject,
): Choice {
  const toolChoice = wire.tool_choice && decodeToolChoice(wire.tool_choice, extras);
  if (tools.length > 0) return present({ toolChoice, parallelToolCalls: wire.parallel_tool_calls });
  const says = toolChoice && toolChoice.mode !== 'auto' && toolChoice.mode !== 'none';
  if (says) extras['tool_choice'] = wire.tool_choice;
  return {};
}

function decodeSampling(wire: ResponsesRequest): Sampling {
  const topLogprobs = wire.top_logprobs || undefined;
  const logprobs = topLogprobs !== undefined || wire.include?.includes(LOGPROBS);
  return present({
    temperature: wire.temperature,
    topP: wire.top_p,
    topK: wire.top_k,
    stop: typeof wire.stop === 'string' ? [wire.stop] : wire.stop,
    presencePenalty: wire.presence_penalty,
    frequencyPenalty: wire.frequency_penalty,
    seed: wire.seed,
    logitBias: wire.logit_bias,
    logprobs: logprobs ? true : undefined,
    topLogprobs,
  });
}

export function encodeRequest(request: NormalisedRequest, target: TargetContext): EncodedRequest {
  const drops = createDropList(target.strict, request);
  if (request.format === 'openai-responses') {
    const body = readdress(request, target, drops);
    return { body, dropped: drops.finish() };
  }
  const dialect = dialectOf(target.providerType);
  const { request: fitted, ...changes } = fitRequest(request, dialect.demands, drops);
  const body = rebuild(fitted, target, dialect, drops);
  return { body, dropped: drops.finish(), ...changes };
}

/** The client's own payload, with only the gateway's decisions changed. */
function readdress(request: NormalisedRequest, target: TargetContext, drops: DropList): JsonObject {
  const { raw } = request;
  const body: JsonObject = { ...raw, model: target.model };
  delete body['provider'];
  if (target.maxOutputTokens !== undefined) body['max_output_tokens'] = target.maxOutputTokens;
  if (target.maxToolCalls !== undefined) boundTools(body, target.maxToolCalls);
  if (raw['input'] !== undefined) body['input'] = withoutForeign(raw['input'], drops);
  return body;
}

function rebuild(
  request: NormalisedRequest,
  target: TargetContext,
  dialect: Dialect,
  drops: DropList,
): JsonObject {
  const { toolChoice, responseFormat, sampling } = request;
  const effort = encodeReasoning(request, { model: target.model, efforts: dialect.efforts }, drops);
  const search = crossSearch(request, 'openai-responses', target.providerType, drops);
  const shared = takeShared(request, search?.said, drops);
  dropUnsaid(request, dialect, drops);
  const include = [
    ...(sampling.logprobs === true ? [LOGPROBS] : []),
    ...(dialect.sealed && reasons(request, effort, target.model) ? [SEALED_REASONING] : []),
    // Other formats show the pages found.
    ...(search ? [SOURCES] : []),
  ];
  const tools = request.tools.map(encodeTool);
  const declared = search ? [...tools, encodeSearchTool(search.asked)] : tools;
  const forced = search?.asked.forced && { type: 'web_search' };
  const text = { ...(responseFormat && { format: encodeFormat(responseFormat) }), ...shared.text };
  return {
    model: target.model,
    ...encodeMessages(
      dialect.mentionsJson ? mentionJson(request) : request.messages,
      dialect,
      drops,
    ),
    ...(declared.length > 0 ? { tools: declared } : {}),
    ...present({
      tool_choice: forced ?? (toolChoice && encodeToolChoice(toolChoice)),
      max_tool_calls: search && (search.asked.maxCalls?.value ?? target.maxToolCalls),
      parallel_tool_calls: request.parallelToolCalls,
      text: Object.keys(text).length > 0 ? text : undefined,
      reasoning: effort === undefined ? undefined : { effort },
      temperature: sampling.temperature,
      top_p: sampling.topP,
      top_logprobs: sampling.topLogprobs,
      max_output_tokens: target.maxOutputTokens ?? request.maxOutputTokens,
      metadata: encodeMetadata(request.metadata, drops),
      user: request.endUser,
      service_tier: request.serviceTier,
      include: include.length > 0 ? include : undefined,
    }),
    ...(dialect.sampling ? encodeOwnSampling(sampling) : {}),
    ...shared.fields,
    // A client of another format could not fetch a stored response.
    store: false,
    ...(request.stream ? { stream: true } : {}),
  };
}

/** The vendor's reasoning models, the only ones that accept reasoning settings. */
const REASONING_MODEL = /(^|[/-])(o\d|gpt-(?!5-chat)([5-9]|\d\d)|codex)/i;

function reasons(
  { messages }: NormalisedRequest,
  effort: string | undefined,
  model: string,
): boolean {
  if (effort !== undefined && effort !== 'none') return true;
  if (REASONING_MODEL.test(model)) return true;
  const blocks = messages.flatMap(({ content }) => content);
  return blocks.some((block) => block.type === 'thinking' && sealedItem(block));
}

/** Parameters without a place in the hub that the chat format has too. */
const SHARED_WITH_CHAT: ReadonlySet<string> = new Set([
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
]);

/** Parameters that clients of the gateway's own format may also send. */
const UNIFIED_TOO: ReadonlySet<string> = new Set(['prompt_cache_key', 'prompt_cache_retention']);

function takeShared(
  { format, extras, reasoningBudget }: NormalisedRequest,
  said: ReadonlySet<string> | undefined,
  drops: DropList,
) {
  const fields: JsonObject = {};
  const text: JsonObject = {};
  for (const [name, value] of Object.entries(extras)) {
    if (name === reasoningBudget?.path || said?.has(name)) continue;
    if (format === 'unified' && UNIFIED_TOO.has(name)) fields[name] = value;
    else if (format !== 'openai-chat') drops.drop(name);
    else if (name === 'verbosity') text['verbosity'] = value;
    else if (SHARED_WITH_CHAT.has(name)) fields[name] = value;
    else drops.drop(name);
  }
  return { fields, text };
}

/**
 * Parameters of the normalised request without a field in this format. Default values count as
 * absent.
 */
function dropUnsaid(request: NormalisedRequest, dialect: Dialect, drops: DropList): void {
  const { sampling, modalities } = request;
  const beyond = !dialect.sampling;
  const unsaid = {
    n: request.n > 1,
    presence_penalty: Boolean(sampling.presencePenalty),
    frequency_penalty: Boolean(sampling.frequencyPenalty),
    top_k: beyond && sampling.topK !== undefined,
    stop: beyond && (sampling.stop?.length ?? 0) > 0,
    seed: beyond && sampling.seed !== undefined,
    logit_bias: beyond && Object.keys(sampling.logitBias ?? {}).length > 0,
    modalities: modalities?.some((kind) => kind !== 'text') ?? false,
    audio: request.audioOutput !== undefined,
  };
  for (const [name, said] of Object.entries(unsaid)) if (said) drops.drop(name);
}

function encodeOwnSampling({ topK, stop, seed, logitBias }: Sampling): JsonObject {
  return present({ top_k: topK, stop, seed, logit_bias: logitBias });
}

/** Metadata must be a map of strings to strings. */
function encodeMetadata(metadata: JsonObject | undefined, drops: DropList): JsonObject | undefined {
  const texts = Object.entries(objectOf(metadata) ?? {}).filter(([name, value]) => {
    if (typeof value !== 'string') drops.drop(`metadata.${name}`);
    return typeof value === 'string';
  });
  return texts.length > 0 ? Object.fromEntries(texts) : undefined;
}
