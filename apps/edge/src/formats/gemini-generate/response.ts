// A unary answer, decoded and encoded.

import type { ReplyContext, ReportedCounts } from '../format';
import { arrayOf, isObject, objectOf, present, textOf } from '../json';
import type {
  ContentBlock,
  JsonObject,
  NormalisedChoice,
  NormalisedResponse,
  ReportedUsage,
  WebSearchCall,
} from '../normalised';
import { toolUnits } from '../server-tools';
import { invalidAnswer } from '../upstream-error';
import { createCallNamer, decodeAnswerPart, encodeAnswerParts, indexOf } from './answer-parts';
import { decodeCitations, encodeGrounding } from './citations';
import { decodeLogprobs, encodeLogprobs } from './logprobs';
import { countCalls } from './server-tools';
import { joinPieces } from './signatures';
import { decodeStopReason, encodeStopReason, finishReasonOf } from './stop-reason';
import { decodeUsage, encodeUsage } from './usage';
import { decodeSearch, withSearches } from './web-search';

export function decodeResponse(body: unknown): NormalisedResponse {
  if (!isObject(body)) throw invalidAnswer('the body is not a JSON object');
  const id = textOf(body['responseId']) ?? '';
  return {
    id,
    model: textOf(body['modelVersion']) ?? '',
    choices: decodeChoices(body, id),
    ...present({ createdAtS: createdAt(body) }),
    ...decodeReported(body),
    raw: body,
  };
}

export function decodeReported(body: JsonObject): ReportedCounts {
  return present({ usage: usageOf(body) });
}

/** A timestamp in seconds since the epoch. */
export function createdAt(body: JsonObject): number | undefined {
  const ms = Date.parse(textOf(body['createTime']) ?? '');
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1_000);
}

/** Why the prompt was blocked. */
export function blockReasonIn(body: JsonObject): string | undefined {
  return textOf(objectOf(body['promptFeedback'])?.['blockReason']);
}

function decodeChoices(body: JsonObject, id: string): NormalisedChoice[] {
  const candidates = arrayOf(body['candidates']);
  if (candidates.length > 0) return candidates.map((value, at) => decodeChoice(value, at, id));
  const blocked = blockReasonIn(body);
  if (blocked === undefined) throw invalidAnswer('it holds no candidates');
  return [{ index: 0, content: [], stopReason: 'content_filter', rawStopReason: blocked }];
}

function decodeChoice(value: unknown, position: number, id: string): NormalisedChoice {
  const candidate = objectOf(value);
  if (candidate === undefined) throw invalidAnswer(`candidates[${position}] is no candidate`);
  const index = indexOf(candidate) ?? position;
  const nameCall = createCallNamer(id, index);
  const parts = arrayOf(objectOf(candidate['content'])?.['parts']);
  const content = joinPieces(
    parts.flatMap((part) => decodeAnswerPart(objectOf(part) ?? {}, nameCall)),
  );
  cite(content, candidate);
  const search = decodeSearch(candidate);
  if (search !== undefined) placeSearch(content, search);
  const rawStopReason = finishReasonOf(candidate['finishReason']) ?? '';
  const callsTools = content.some(({ type }) => type === 'tool_call');
  return {
    index,
    content,
    stopReason: decodeStopReason(rawStopReason, callsTools),
    rawStopReason,
    ...present({ logprobs: decodeLogprobs(candidate['logprobsResult']) }),
  };
}

function textIn(content: readonly ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

function cite(content: ContentBlock[], candidate: JsonObject): void {
  const citations = decodeCitations(candidate, () => textIn(content));
  if (citations.length === 0) return;
  const last = content.findLast((block) => block.type === 'text');
  if (last === undefined) content.push({ type: 'text', text: '', citations });
  else last.citations = citations;
}

/** Placed before the text that cites it, like searches of other formats. */
function placeSearch(content: ContentBlock[], search: WebSearchCall): void {
  const first = content.findIndex((block) => block.type === 'text');
  content.splice(first === -1 ? content.length : first, 0, { type: 'web_search', ...search });
}

export function encodeResponse(response: NormalisedResponse, context: ReplyContext): JsonObject {
  const tokens = response.usage?.tokens ?? context.estimatedUsage;
  const createdAtS = response.createdAtS ?? context.createdAtS;
  return {
    candidates: response.choices.map(encodeChoice),
    ...present({ usageMetadata: tokens && encodeUsage(tokens) }),
    modelVersion: context.model,
    createTime: new Date(createdAtS * 1_000).toISOString(),
    responseId: response.id || context.requestId,
  };
}

function encodeChoice({ index, content, stopReason, logprobs }: NormalisedChoice): JsonObject {
  const { parts, traits } = encodeAnswerParts(content);
  const texts = content.filter((block) => block.type === 'text');
  const citations = texts.flatMap((block) => block.citations ?? []);
  return {
    content: { parts: parts.length > 0 ? parts : [{ text: '' }], role: 'model' },
    finishReason: encodeStopReason(stopReason, traits),
    index,
    ...present({
      groundingMetadata: withSearches(
        encodeGrounding(citations, textIn(content)),
        content.filter((block) => block.type === 'web_search'),
      ),
    }),
    ...(logprobs === undefined ? {} : { logprobsResult: encodeLogprobs(logprobs) }),
  };
}

function usageOf(body: JsonObject): ReportedUsage | undefined {
  const usage = decodeUsage(body['usageMetadata']);
  return usage && { ...usage, ...toolUnits(countCalls(body)) };
}
