// A chat-completions request, decoded and encoded.

import { withoutCacheMarks } from '../cache-marks';
import { createDropList, type DropList } from '../drop-list';
import { fitRequest } from '../fitted-request';
import type { EncodedRequest, TargetContext } from '../format';
import { isObject, objectOf, otherFields, present } from '../json';
import { mentionJson } from '../json-mode';
import type {
  FormatName,
  JsonObject,
  NormalisedRequest,
  Sampling,
  ToolChoice,
  ToolDefinition,
} from '../normalised';
import { parsePayload } from '../schema';
import { decodeTemplateSwitch, decodeThinkingField } from '../thinking-field';
import { dialectOf, type Dialect } from './dialects';
import { encodeEffortFields, readdressThinking } from './effort-fields';
import { decodeMessage, encodeMessages } from './messages';
import { addNested } from './nested';
import { withoutForeign } from './replay';
import {
  decodeResponseFormat,
  decodeToolChoice,
  decodeToolList,
  encodeResponseFormat,
  encodeTool,
  encodeToolChoice,
} from './tools';
import { decodeWebSearch } from './web-search';
import { chatRequest, type ChatRequest } from './wire';

/** Fields with a place in the normalised request; all others are extras. */
const NORMALISED_FIELDS: ReadonlySet<string> = new Set(Object.keys(chatRequest.shape));

export function decodeRequest(body: JsonObject): NormalisedRequest {
  const wire = parsePayload(chatRequest, body);
  const extras = otherFields(body, NORMALISED_FIELDS);
  addNested(body, extras);
  // `store: false` is the default, so it is no extra.
  if (extras['store'] === false) delete extras['store'];
  const paths: Record<string, string> = {};
  const tools = decodeTools(wire, body, extras, paths);
  const responseFormat = wire.response_format && decodeResponseFormat(wire.response_format);
  if (wire.response_format && !responseFormat) extras['response_format'] = body['response_format'];
  return {
    format: 'openai-chat',
    model: wire.model,
    messages: wire.messages.map(decodeMessage),
    tools,
    sampling: decodeSampling(wire),
    n: wire.n ?? 1,
    stream: wire.stream ?? false,
    includeUsage: wire.stream === true && wire.stream_options?.include_usage === true,
    ...decodeTemplateSwitch(extras),
    ...decodeThinkingField(wire.thinking, extras),
    ...present({
      provider: wire.provider,
      toolChoice: decodeChoice(wire),
      webSearch: decodeWebSearch(body),
      parallelToolCalls: wire.parallel_tool_calls,
      responseFormat,
      maxOutputTokens: wire.max_completion_tokens ?? wire.max_tokens,
      reasoningEffort: wire.reasoning_effort,
      metadata: wire.metadata,
      endUser: wire.user,
      serviceTier: wire.service_tier,
      modalities: wire.modalities,
      audioOutput: wire.audio,
      legacyFunctions: wire.functions && wire.functions.length > 0 ? true : undefined,
    }),
    extras,
    ...(Object.keys(paths).length > 0 ? { paths } : {}),
    raw: body,
  };
}

function decodeTools(
  wire: ChatRequest,
  body: JsonObject,
  extras: JsonObject,
  paths: Record<string, string>,
): ToolDefinition[] {
  const tools = decodeToolList(wire.tools ?? [], body['tools'], extras, paths);
  for (const { name, description, parameters } of wire.functions ?? []) {
    tools.push({ kind: 'function', name, ...present({ description, parameters }) });
  }
  return tools;
}

function decodeChoice(wire: ChatRequest): ToolChoice | undefined {
  if (wire.tool_choice) return decodeToolChoice(wire.tool_choice);
  const choice = wire.function_call;
  if (!choice) return undefined;
  if (typeof choice === 'string') return { mode: choice };
  return { mode: 'tool', tool: { kind: 'function', name: choice.name } };
}

function decodeSampling(wire: ChatRequest): Sampling {
  return present({
    temperature: wire.temperature,
    topP: wire.top_p,
    topK: wire.top_k,
    stop: typeof wire.stop === 'string' ? [wire.stop] : wire.stop,
    presencePenalty: wire.presence_penalty,
    frequencyPenalty: wire.frequency_penalty,
    seed: wire.seed,
    logitBias: wire.logit_bias,
    logprobs: wire.logprobs,
    topLogprobs: wire.top_logprobs,
  });
}

export function encodeRequest(request: NormalisedRequest, target: TargetContext): EncodedRequest {
  const dialect = dialectOf(target.providerType);
  const drops = createDropList(target.strict, request);
  if (request.format === 'openai-chat') {
    const body = readdress(request, target, dialect, drops);
    return { body, dropped: drops.finish() };
  }
  const { request: fitted, ...changes } = fitRequest(request, dialect.demands, drops);
  const body = rebuild(fitted, target, dialect, drops);
  return { body, dropped: drops.finish(), ...changes };
}

/** The client's own payload, with only the gateway's decisions changed. */
function readdress(
  request: NormalisedRequest,
  target: TargetContext,
  dialect: Dialect,
  drops: DropList,
): JsonObject {
  const { extras, raw } = request;
  const written = dialect.cacheMarks ? raw : withoutCacheMarks(raw, extras, drops);
  const body: JsonObject = { ...written, model: target.model };
  delete body['provider'];
  readdressThinking(body, request, target, drops);
  body['messages'] = withoutForeign(body['messages'], dialect, drops);
  if (request.stream) {
    const asked = objectOf(raw['stream_options']);
    body['stream_options'] = { ...asked, include_usage: true };
  }
  const bound = target.maxOutputTokens;
  if (bound !== undefined) {
    const spelled = BOUND_FIELDS.filter((field) => typeof body[field] === 'number');
    for (const field of spelled.length > 0 ? spelled : [dialect.outputBound]) body[field] = bound;
  }
  return body;
}

const BOUND_FIELDS = ['max_completion_tokens', 'max_tokens'] as const;

function rebuild(
  request: NormalisedRequest,
  target: TargetContext,
  dialect: Dialect,
  drops: DropList,
): JsonObject {
  const { sampling, tools, toolChoice, responseFormat } = request;
  const shared = takeShared(request, dialect, drops);
  const bound = target.maxOutputTokens ?? request.maxOutputTokens;
  return {
    model: target.model,
    messages: encodeMessages(
      dialect.mentionsJson ? mentionJson(request) : request.messages,
      dialect,
      drops,
    ),
    ...(tools.length > 0 ? { tools: tools.map(encodeTool) } : {}),
    ...present({
      tool_choice: toolChoice && encodeToolChoice(toolChoice),
      parallel_tool_calls: request.parallelToolCalls,
      response_format: responseFormat && encodeResponseFormat(responseFormat),
      temperature: sampling.temperature,
      top_p: sampling.topP,
      top_k: dialect.topK ? sampling.topK : dropped(sampling.topK, 'top_k', drops),
      stop: sampling.stop,
      presence_penalty: sampling.presencePenalty,
      frequency_penalty: sampling.frequencyPenalty,
      seed: sampling.seed,
      logit_bias: sampling.logitBias,
      logprobs: sampling.logprobs,
      top_logprobs: sampling.topLogprobs,
      [dialect.outputBound]: bound,
      n: request.n > 1 ? request.n : undefined,
      metadata: encodeMetadata(request.metadata, dialect, drops),
      user: request.endUser,
      service_tier: request.serviceTier,
      modalities: request.modalities,
      audio: request.audioOutput,
    }),
    ...encodeEffortFields(request, target, drops),
    ...shared,
    ...(request.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

/** Parameters without a place in the hub that other formats have too, by their path there. */
const SHARED_WITH_UNIFIED: Readonly<Record<string, string>> = {
  prompt_cache_key: 'prompt_cache_key',
  prompt_cache_retention: 'prompt_cache_retention',
};
const SHARED: Readonly<Partial<Record<FormatName, Readonly<Record<string, string>>>>> = {
  'openai-responses': {
    ...SHARED_WITH_UNIFIED,
    'text.verbosity': 'verbosity',
    safety_identifier: 'safety_identifier',
  },
  unified: SHARED_WITH_UNIFIED,
};

function takeShared(request: NormalisedRequest, dialect: Dialect, drops: DropList): JsonObject {
  const shared: JsonObject = {};
  const names = dialect.additions ? SHARED[request.format] : undefined;
  for (const [path, value] of Object.entries(request.extras)) {
    const name = names?.[path];
    if (name !== undefined) shared[name] = value;
    else if (path !== request.reasoningBudget?.path) drops.drop(path);
  }
  return shared;
}

function dropped(value: unknown, path: string, drops: DropList): undefined {
  if (value !== undefined) drops.drop(path);
  return undefined;
}

function encodeMetadata(
  metadata: JsonObject | undefined,
  dialect: Dialect,
  drops: DropList,
): JsonObject | undefined {
  if (!isObject(metadata) || !dialect.textMetadata) return metadata;
  const texts = Object.entries(metadata).filter(([name, value]) => {
    if (typeof value !== 'string') drops.drop(`metadata.${name}`);
    return typeof value === 'string';
  });
  return texts.length > 0 ? Object.fromEntries(texts) : undefined;
}
