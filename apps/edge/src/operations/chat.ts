// Conversations, in whichever format they come: the codecs translate between client and upstream, or
// let through what both sides write alike.

import { estimateContent, estimateInputTokens, estimateSoundTokens } from '../estimate';
import { inputText, outputText, type PlainText } from '../estimate/input-text';
import {
  FORMATS,
  type Format,
  type JsonObject,
  type NormalisedRequest,
  type NormalisedResponse,
  type ReplyContext,
} from '../formats';
import { objectOf } from '../formats/json';
import { createPassage } from '../reply/passage';
import type { UpstreamFormat } from '@tollgate/contracts';
import type { AnswerBody } from '../upstream/answer-body';
import { inputAndOutput } from './answer';
import type { Answered, Job, Talk, Target } from './job';
import { needsOf } from './needs';

const JSON_TYPE = 'application/json';

/** Who asks, and in which format. */
export type ChatInlet = {
  /** The client's codec. */
  format: Format;
  request: NormalisedRequest;
};

export function chatJob({ format, request }: ChatInlet): Job {
  const inputTokensEstimate = estimateInputTokens(request);
  return {
    model: request.model,
    provider: request.provider,
    stream: request.stream,
    growing: true,
    choices: request.n,
    maxOutputTokens: request.maxOutputTokens ?? 0,
    // vLLM: the answer begins with the message that it goes on from.
    ...(request.raw['echo'] === true ? { repeatedInputTokens: inputTokensEstimate } : {}),
    inputTokensEstimate,
    audioInputTokensEstimate: estimateSoundTokens(request),
    inputText: () => inputText(request),
    textOutput: !speaks(request),
    unitsEstimate: {},
    needs: needsOf(request),
    previousResponseId: previousResponseId(request),
    talk: (target) => chatTalk(format, request, target, inputTokensEstimate),
  };
}

function speaks({ modalities, audioOutput }: NormalisedRequest): boolean {
  return audioOutput !== undefined || (modalities?.includes('audio') ?? false);
}

function previousResponseId({ format, extras }: NormalisedRequest): string {
  const id = format === 'openai-responses' ? extras['previous_response_id'] : undefined;
  return typeof id === 'string' ? id : '';
}

function chatTalk(
  client: Format,
  request: NormalisedRequest,
  target: Target,
  inputTokensEstimate: number,
): Talk {
  const upstream = FORMATS[target.endpoint.format];
  const context = contextOf(request, target);
  const asked = objectOf(request.raw['stream_options'])?.['continuous_usage_stats'];
  const options = { choices: request.n, runningUsage: asked === true };
  return {
    encode: () => {
      const { body, dropped } = upstream.encodeRequest(request, codecTarget(target));
      if (request.stream) askForMore(body, target.endpoint.upstreamFormat);
      return {
        body: JSON.stringify(body),
        contentType: JSON_TYPE,
        accept: request.stream ? 'text/event-stream' : JSON_TYPE,
        dropped,
      };
    },
    follow: () => (request.stream ? createPassage(client, upstream, context, options) : undefined),
    countsOnly: false,
    read: (answer) => {
      const { body, report, outputTokens, said } = understand(client, upstream, answer, context);
      const estimate = inputAndOutput(inputTokensEstimate, outputTokens);
      return { body, contentType: JSON_TYPE, report: { ...report, estimate, said } };
    },
    refused: (status, headers, body) => upstream.decodeError(status, headers, body),
  };
}

export function codecTarget({ providerType, model, strict, maxOutputTokens: bound }: Target) {
  const target = { providerType, model, strict };
  return bound > 0 ? { ...target, maxOutputTokens: bound } : target;
}

// With running counts a stream that is broken off is still billed to the token.
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

type Understood = {
  body: Answered['body'];
  report: Answered['report'];
  outputTokens: number;
  said: () => PlainText;
};

function understand(
  client: Format,
  upstream: Format,
  answer: AnswerBody,
  context: ReplyContext,
): Understood {
  if (client.name === upstream.name) {
    const { outputTokensEstimate, ...report } = upstream.inspectResponse(
      answer.bytes,
      answer.parsed,
    );
    const said = () => saidIn(upstream.decodeResponse(answer.json()));
    return { body: answer.bytes, report, outputTokens: outputTokensEstimate, said };
  }
  const response = upstream.decodeResponse(answer.json());
  return {
    body: (estimatedUsage) =>
      JSON.stringify(client.encodeResponse(response, { ...context, estimatedUsage })),
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
    ...(response.usage ? { usage: response.usage.tokens } : {}),
    ...(response.usage?.units ? { units: response.usage.units } : {}),
    ...(first ? { stopReason: first.stopReason } : {}),
  };
}
