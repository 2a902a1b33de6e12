// A request to generate content, decoded and encoded. The path has the model and whether the answer
// is streamed.

import { gatewayError } from '@tollgate/contracts';

import { createDropList, type DropList } from '../drop-list';
import { fitRequest } from '../fitted-request';
import type { DecodeContext, EncodedRequest, TargetContext } from '../format';
import { present } from '../json';
import type { JsonObject, NormalisedMessage, NormalisedRequest } from '../normalised';
import { parsePayload } from '../schema';
import { DEMANDS } from '../target-demands';
import { crossSearch } from '../web-search';
import { decodeConversation } from './decode-contents';
import { generationOf, type Generation } from './dialects';
import { encodeConversation } from './encode-contents';
import { decodeConfig, encodeConfig, formPath, withOutputBound } from './generation-config';
import { otherFields, spellingOf } from './names';
import { withoutForeign } from './replay';
import { decodeToolChoice, decodeTools, encodeTools } from './tools';
import { decodeWebSearch, encodeSearchTool } from './web-search';
import { generateRequest, REQUEST_FIELDS } from './wire';

/** Parameters of other formats, by their name in the chat format, and their path here. */
const PATHS: Readonly<Record<string, string>> = {
  temperature: 'generationConfig.temperature',
  top_p: 'generationConfig.topP',
  top_k: 'generationConfig.topK',
  n: 'generationConfig.candidateCount',
  stop: 'generationConfig.stopSequences',
  seed: 'generationConfig.seed',
  presence_penalty: 'generationConfig.presencePenalty',
  frequency_penalty: 'generationConfig.frequencyPenalty',
  logprobs: 'generationConfig.responseLogprobs',
  top_logprobs: 'generationConfig.logprobs',
  response_format: 'generationConfig.responseSchema',
  reasoning_effort: 'generationConfig.thinkingConfig.thinkingLevel',
  modalities: 'generationConfig.responseModalities',
  audio: 'generationConfig.speechConfig',
  tool_choice: 'toolConfig.functionCallingConfig',
  metadata: 'labels',
  service_tier: 'serviceTier',
};

const TIERS_IN: Readonly<Record<string, string>> = { standard: 'default', unspecified: 'auto' };
const TIERS_OUT: Readonly<Record<string, string>> = {
  auto: 'unspecified',
  default: 'standard',
  standard: 'standard',
  flex: 'flex',
  priority: 'priority',
};

export function decodeRequest(body: JsonObject, context: DecodeContext): NormalisedRequest {
  const wire = parsePayload(generateRequest, body);
  const model = context.model ?? wire.model?.replace(/^models\//, '');
  if (!model) throw gatewayError('invalid_request', 'model: must be named', { param: 'model' });
  const extras = otherFields(body, REQUEST_FIELDS);
  const paths: Record<string, string> = { ...PATHS };
  paths['response_format'] = formPath(wire.generationConfig);
  const messages = decodeConversation(wire, extras);
  const config = decodeConfig(wire.generationConfig, extras);
  lookClosely(messages, extras);
  const tier = wire.serviceTier;
  const toolChoice = decodeToolChoice(wire.toolConfig, extras);
  return {
    format: 'gemini-generate',
    model,
    messages,
    tools: decodeTools(wire.tools, extras, paths),
    n: 1,
    ...config,
    stream: context.stream ?? false,
    // Every answer of this format has usage.
    includeUsage: true,
    ...present({
      provider: wire.provider,
      toolChoice,
      webSearch: decodeWebSearch(wire.tools, toolChoice),
      metadata: wire.labels,
      serviceTier: tier && (TIERS_IN[tier] ?? tier),
    }),
    extras,
    paths,
    raw: body,
  };
}

export function encodeRequest(request: NormalisedRequest, target: TargetContext): EncodedRequest {
  const drops = createDropList(target.strict, request);
  if (request.format === 'gemini-generate') {
    const body = readdress(request.raw, target, drops);
    return { body, dropped: drops.finish() };
  }
  const { request: fitted, ...changes } = fitRequest(request, DEMANDS.gemini, drops);
  const body = rebuild(fitted, target, drops);
  return { body, dropped: drops.finish(), ...changes };
}

/** The client's own payload, with only the gateway's decisions changed. */
function readdress(raw: JsonObject, target: TargetContext, drops: DropList): JsonObject {
  const body: JsonObject = { ...raw };
  body['contents'] = withoutForeign(raw['contents'], generationOf(target.model), drops);
  delete body['provider'];
  if (body['model'] !== undefined) body['model'] = `models/${target.model}`;
  if (target.maxOutputTokens === undefined) return body;
  const config = spellingOf(body, 'generationConfig');
  body[config] = withOutputBound(body[config], target.maxOutputTokens);
  return body;
}

function rebuild(request: NormalisedRequest, target: TargetContext, drops: DropList): JsonObject {
  const { extras, messages, reasoningBudget, serviceTier } = request;
  const generation = generationOf(target.model);
  const search = searches(request, generation)
    ? crossSearch(request, 'gemini-generate', target.providerType, drops)
    : undefined;
  for (const name of Object.keys(extras)) {
    if (name !== reasoningBudget?.path && !search?.said.has(name)) drops.drop(name);
  }
  if (request.endUser !== undefined) drops.drop('user');
  const { detail, listener } = listenerFor(messages, generation);
  const config = encodeConfig(request, target, generation, detail, drops);
  const tier = serviceTier === undefined ? undefined : TIERS_OUT[serviceTier];
  if (serviceTier !== undefined && tier === undefined) drops.drop('service_tier');
  return {
    ...encodeConversation(messages, listener, drops),
    ...encodeTools(request, generation, drops),
    ...(search ? { tools: [encodeSearchTool()] } : {}),
    ...(Object.keys(config).length > 0 ? { generationConfig: config } : {}),
    ...present({
      labels: encodeLabels(request.metadata, drops),
      serviceTier: tier === 'unspecified' ? undefined : tier,
    }),
  };
}

/** Older models search only for plain-text answers. */
function searches({ responseFormat }: NormalisedRequest, generation: Generation): boolean {
  const isPlain = responseFormat === undefined || responseFormat.type === 'text';
  return generation.searches === 'always' || (generation.searches === 'in text' && isPlain);
}

/** The image resolution, which is one setting for all images here. */
function lookClosely(messages: readonly NormalisedMessage[], extras: JsonObject): void {
  const asked = /^MEDIA_RESOLUTION_(LOW|HIGH)$/.exec(String(extras[RESOLUTION]))?.[1];
  const blocks = messages.flatMap(({ content }) => content);
  const images = blocks.filter((block) => block.type === 'image');
  if (asked === undefined || images.length === 0) return;
  for (const image of images) image.detail = asked.toLowerCase();
  delete extras[RESOLUTION];
}

const RESOLUTION = 'generationConfig.mediaResolution';
const DETAILS: ReadonlySet<string> = new Set(['low', 'high']);

/** It can be expressed only if all images agree. */
function listenerFor(messages: readonly NormalisedMessage[], generation: Generation) {
  const asked = new Set<string | undefined>();
  for (const { content } of messages) {
    for (const block of content) if (block.type === 'image') asked.add(block.detail);
  }
  const [only] = asked;
  const detail = asked.size === 1 && only !== undefined && DETAILS.has(only) ? only : undefined;
  return { detail, listener: { ...generation, detail } };
}

const LABEL_NAME = /^[a-z][a-z0-9_-]{0,62}$/;
const LABEL_VALUE = /^[a-z0-9_-]{0,63}$/;

/** Labels appear on bills, so their characters are restricted. */
function encodeLabels(
  metadata: JsonObject | undefined,
  drops: DropList,
): Record<string, string> | undefined {
  const labels: Record<string, string> = {};
  for (const [name, value] of Object.entries(metadata ?? {})) {
    if (typeof value === 'string' && LABEL_NAME.test(name) && LABEL_VALUE.test(value)) {
      labels[name] = value;
    } else drops.drop(`metadata.${name}`);
  }
  return Object.keys(labels).length > 0 ? labels : undefined;
}
