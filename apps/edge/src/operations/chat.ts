// Conversations in any format. The codecs translate between client and upstream, or relay what both
// formats share.

import {
  GatewayError,
  type Operation,
  type ProviderType,
  type UpstreamFormat,
} from '@tollgate/contracts';

import {
  FORMATS,
  restoreResponse,
  type AnswerChanges,
  type Format,
  type JsonObject,
  type NormalisedRequest,
  type NormalisedResponse,
  type ReplyContext,
} from '../formats';
import { estimateContent, estimateInputTokens, estimateSoundTokens } from '../formats/estimate';
import { inputText, outputText, type PlainText } from '../formats/estimate/input-text';
import { failureIn } from '../formats/failed-answer';
import { objectOf, present, textOf } from '../formats/json';
import { renameModel } from '../formats/model-name';
import { alwaysSearches } from '../formats/openai-chat/server-tools';
import { tiersAsked, tiersReported } from '../formats/service-tiers';
import { parseEventObject } from '../formats/sse';
import { crossedSearches, searchCrosses } from '../formats/web-search';
import type { AnswerBody } from '../upstream/answer-body';
import { upstreamsSpeaking } from '../upstream/endpoints';
import { UpstreamFailure } from '../upstream/failure';
import { inputAndOutput, notAnAnswer, objectIn } from './answer';
import { isUnfinished } from './background-use';
import type { Answered, Job, ProviderAdapter, ServerToolAsked, Target } from './job';
import { namedItems } from './named-items';
import { needsOf } from './needs';
import { createPassage } from './passage';
import { conversationIdOf } from './stored';

const JSON_TYPE = 'application/json';

/** A decoded request and its format. */
export interface ChatInlet {
  /** The client's codec. */
  format: Format;
  request: NormalisedRequest;
}

export function chatJob({ format, request }: ChatInlet): Job {
  const inputTokensEstimate = estimateInputTokens(request);
  const background = inBackground(request);
  const conversation = conversationId(request);
  const serverTools = serverToolsOf(format, request);
  // vLLM: the answer starts with the message that it continues. Anthropic: it may start with a summary.
  const repeats = request.raw['echo'] === true || serverTools.some(({ readsInput }) => readsInput);
  return {
    request,
    model: request.model,
    provider: request.provider,
    stream: request.stream,
    // Background work cannot be stopped at a step, so its full output is held at the start.
    growing: !background,
    ...(background ? { background } : {}),
    choices: request.n,
    maxOutputTokens: request.maxOutputTokens ?? 0,
    ...(repeats ? { repeatedInputTokens: inputTokensEstimate } : {}),
    inputTokensEstimate,
    audioInputTokensEstimate: estimateSoundTokens(request),
    inputText: () => inputText(request),
    textOutput: !speaks(request),
    unitsEstimate: {},
    serverTools,
    serviceTiers: tiersAsked(request),
    needs: needsOf(request),
    previousResponseId: previousResponseId(request),
    conversationId: conversation,
    addsTo: conversation,
    ...(request.format === 'openai-responses' ? namedItems(request.raw['input']) : {}),
    endpointOperation: (upstream, type) => searchEndpoint(request, upstream, type),
    adapter: (target) => chatAdapter(format, request, target, inputTokensEstimate),
  };
}

/**
 * OpenAI's models search at the Responses endpoint. At the chat endpoint only a few models search,
 * and without a bound. Clients of OpenAI's own formats have chosen the endpoint themselves.
 */
function searchEndpoint(
  request: NormalisedRequest,
  upstream: UpstreamFormat,
  providerType: ProviderType,
): Operation | undefined {
  const searches = searchCrosses(request, 'openai-responses', providerType);
  return searches && upstream === 'openai' ? 'responses' : undefined;
}

function inBackground({ format, raw }: NormalisedRequest): true | undefined {
  return format === 'openai-responses' && raw['background'] === true ? true : undefined;
}

function speaks({ modalities, audioOutput }: NormalisedRequest): boolean {
  return audioOutput !== undefined || (modalities?.includes('audio') ?? false);
}

function previousResponseId({ format, extras }: NormalisedRequest): string {
  const id = format === 'openai-responses' ? extras['previous_response_id'] : undefined;
  return typeof id === 'string' ? id : '';
}

function conversationId({ format, raw }: NormalisedRequest): string {
  return format === 'openai-responses' ? conversationIdOf(raw['conversation']) : '';
}

/** Billed for an answer that had to search but does not report how often. */
const ONE_SEARCH = { web_search: 1 };

function chatAdapter(
  client: Format,
  request: NormalisedRequest,
  target: Target,
  inputTokensEstimate: number,
): ProviderAdapter {
  const upstream = FORMATS[target.endpoint.format];
  const context = { ...contextOf(request, target), inputTokensEstimate };
  const searched = upstream.name === request.format && alwaysSearches(request);
  const asked = objectOf(request.raw['stream_options'])?.['continuous_usage_stats'];
  const options = { choices: request.n, runningUsage: asked === true };
  const background = upstream.name === request.format && inBackground(request) === true;
  let changes: AnswerChanges | undefined;
  return {
    background,
    encode: () => {
      const encoded = upstream.encodeRequest(request, codecTarget(target));
      const { body, dropped } = encoded;
      changes = encoded.changes;
      if (request.stream) askForMore(body, target.endpoint.upstreamFormat);
      return {
        body: { document: body },
        contentType: JSON_TYPE,
        accept: request.stream ? 'text/event-stream' : JSON_TYPE,
        dropped,
      };
    },
    follow: () => {
      if (!request.stream) return undefined;
      const passage = createPassage(client, upstream, context, { ...options, changes });
      if (searched) passage.report.units = ONE_SEARCH;
      return passage;
    },
    countsOnly: false,
    read: (answer) => {
      if (background) {
        const response = objectIn(answer);
        if (isUnfinished(response)) {
          return unfinished(client, answer, context.model, response['id']);
        }
      }
      const understood = orFailed(upstream, answer, searched, () =>
        understand(client, upstream, answer, context, changes),
      );
      const { body, failure, report, outputTokens, said } = understood;
      const estimate = inputAndOutput(inputTokensEstimate, outputTokens);
      const counted = searched ? { units: ONE_SEARCH, ...report } : report;
      return {
        body,
        contentType: JSON_TYPE,
        report: { ...counted, estimate, said },
        ...(failure ? { failure } : {}),
      };
    },
    refused: (status, headers, body) => upstream.decodeError(status, headers, body),
  };
}

/**
 * An answer that is refused is billed nevertheless, if it reports its usage.
 * @throws UpstreamFailure with what the answer consumed
 */
function orFailed(
  upstream: Format,
  answer: AnswerBody,
  searched: boolean,
  read: () => Understood,
): Understood {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const failure = new UpstreamFailure('INVALID_RESPONSE', error);
    failure.consumed = consumedBy(upstream, answer, searched);
    throw failure;
  }
}

/** Undefined: the answer reports no usage. */
function consumedBy(upstream: Format, { bytes, parsed }: AnswerBody, searched: boolean) {
  const body = objectOf(parsed) ?? parseEventObject(bytes.toString('utf8'));
  const reported = body && upstream.decodeReported(body);
  if (!reported?.usage) return undefined;
  const { tokens, units = searched ? ONE_SEARCH : undefined } = reported.usage;
  return { usage: tokens, ...present({ units, tiers: tiersReported(reported) }) };
}

function unfinished(client: Format, { bytes }: AnswerBody, model: string, id: unknown): Answered {
  const responseId = textOf(id) ?? '';
  if (responseId === '') throw notAnAnswer('it has no id');
  const body = renameModel(client.name, bytes, model);
  return { body, contentType: JSON_TYPE, report: { responseId, pending: true } };
}

export function codecTarget(target: Target) {
  const { providerType, model, strict, maxOutputTokens, maxToolCalls } = target;
  return {
    providerType,
    model,
    strict,
    ...(maxOutputTokens > 0 ? { maxOutputTokens } : {}),
    ...(maxToolCalls > 0 ? { maxToolCalls } : {}),
  };
}

function serverToolsOf(format: Format, request: NormalisedRequest): readonly ServerToolAsked[] {
  const tools = format.serverTools(request);
  if (tools.length === 0) return NO_TOOLS;
  const upstreams = upstreamsSpeaking(request.format);
  return [...tools.map((tool) => ({ ...tool, upstreams })), ...crossedSearches(request)];
}

const NO_TOOLS: readonly ServerToolAsked[] = [];

// With running counts, a stream that breaks off can still be billed exactly.
function askForMore(body: JsonObject, upstream: UpstreamFormat): void {
  const options = body['stream_options'];
  if (upstream !== 'vllm' || typeof options !== 'object') return;
  body['stream_options'] = { ...options, continuous_usage_stats: true };
}

function contextOf(request: NormalisedRequest, { context }: Target): ReplyContext {
  return {
    ...context,
    includeUsage: request.includeUsage,
    ...(request.legacyFunctions === undefined ? {} : { legacyFunctions: request.legacyFunctions }),
    request,
  };
}

interface Understood {
  body: Answered['body'];
  report: Answered['report'];
  outputTokens: number;
  failure?: GatewayError | undefined;
  said: () => PlainText;
}

function understand(
  client: Format,
  upstream: Format,
  answer: AnswerBody,
  context: ReplyContext,
  changes: AnswerChanges | undefined,
): Understood {
  if (client.name === upstream.name) {
    const { outputTokensEstimate, ...report } = upstream.inspectResponse(
      answer.bytes,
      answer.parsed,
    );
    const said = () => saidIn(upstream.decodeResponse(answer.json()));
    const body = renameModel(client.name, answer.bytes, context.model);
    return { body, report, outputTokens: outputTokensEstimate, said };
  }
  const response = upstream.decodeResponse(answer.json());
  const restored = changes === undefined ? response : restoreResponse(response, changes);
  return {
    body: (estimatedUsage) =>
      JSON.stringify(client.encodeResponse(restored, { ...context, estimatedUsage })),
    failure: failureIn(client, response),
    report: reportOf(response),
    outputTokens: response.choices.reduce((sum, { content }) => sum + estimateContent(content), 0),
    said: () => saidIn(response),
  };
}

function saidIn({ choices }: NormalisedResponse): PlainText {
  return outputText(choices.map(({ content }) => content));
}

function reportOf(response: NormalisedResponse): Answered['report'] {
  const [first] = response.choices;
  return {
    responseId: response.id,
    ...(response.model ? { model: response.model } : {}),
    ...(response.usage ? { usage: response.usage.tokens } : {}),
    ...(response.usage?.units ? { units: response.usage.units } : {}),
    ...present({ tiers: tiersReported(response) }),
    ...(first ? { stopReason: first.stopReason, rawStopReason: first.rawStopReason } : {}),
  };
}
