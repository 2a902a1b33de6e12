// Gemini generateContent: the answer, unary and as chunks. Every chunk has the usage so far.

import { SOURCE, THOUGHT, type Answer } from '../../answer';
import type { BilledUsage } from '../../bill';
import { textOf, type JsonObject } from '../../json';
import { inputOf, outputOf } from '../../usage';
import { thoughtSignature } from './checks';

export interface Heading {
  id: string;
  model: string;
  /** The processing tier; empty: the request names none. */
  tier: string;
}

export interface Manner {
  choices: number;
  /** Whether thinking is sent. */
  thoughts: boolean;
  signed: boolean;
  logprobs: boolean;
  /** The query of web searches, and their number. */
  search: string;
  searches: number;
}

const FINISH_REASONS: Readonly<Record<Answer['finishReason'], string>> = {
  stop: 'STOP',
  stop_sequence: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
};

export function finishOf(answer: Answer): string {
  const usual = answer.refusal ? 'SAFETY' : FINISH_REASONS[answer.finishReason];
  return answer.finishWord?.toUpperCase() ?? usual;
}

/** A part of the answer and the tokens it took. */
export interface Part {
  part: JsonObject;
  tokens: number;
}

/** The parts of an answer, as a stream sends them. */
export function partsFor(answer: Answer, id: string, manner: Manner): Part[] {
  const parts: Part[] = [];
  for (let thought = 0; thought < answer.reasoningTokens; thought++) {
    const text = manner.thoughts ? THOUGHT : '';
    parts.push({ part: { text, thought: true }, tokens: 1 });
  }
  const mark = { thoughtSignature: thoughtSignature(id) };
  for (const [index, { key, name, pieces }] of answer.calls.entries()) {
    const functionCall = { id: `call_${key}`, name, args: parsed(pieces.join('')) };
    const signed = manner.signed && index === 0 ? mark : {};
    parts.push({ part: { functionCall, ...signed }, tokens: pieces.length });
  }
  // A refusal has no text: the answer is only cut off.
  const texts = answer.refusal ? [] : answer.pieces;
  for (const piece of texts) parts.push({ part: { text: piece }, tokens: 1 });
  if (manner.signed && answer.reasoningTokens > 0 && texts.length > 0) {
    parts.push({ part: { text: '', ...mark }, tokens: 0 });
  }
  return parts;
}

/** Truncated arguments are not a value. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Joins the parts of a stream: adjacent texts of a kind become one. */
export function mergedParts(parts: Part[]): JsonObject[] {
  const merged: JsonObject[] = [];
  for (const { part } of parts) {
    const last = merged.at(-1);
    const joins = last?.['text'] !== undefined && part['text'] !== undefined;
    if (joins && last?.['thought'] === part['thought']) {
      merged[merged.length - 1] = {
        ...last,
        ...part,
        text: textOf(last['text']) + textOf(part['text']),
      };
    } else merged.push(part);
  }
  return merged.filter(
    ({ text, thoughtSignature }) => text !== '' || thoughtSignature !== undefined,
  );
}

export function usageMetadata(usage: BilledUsage, tier = ''): JsonObject {
  const prompt = inputOf(usage);
  const said = outputOf(usage) - usage.reasoning;
  const { audioInput, audioOutput, imageInput, imageOutput } = usage;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: said,
    totalTokenCount: prompt + said + usage.reasoning,
    ...(usage.reasoning > 0 ? { thoughtsTokenCount: usage.reasoning } : {}),
    ...(usage.cacheRead > 0
      ? {
          cachedContentTokenCount: usage.cacheRead,
          cacheTokensDetails: [{ modality: 'TEXT', tokenCount: usage.cacheRead }],
        }
      : {}),
    promptTokensDetails: byModality(prompt, audioInput, imageInput),
    ...(audioOutput + imageOutput > 0
      ? { candidatesTokensDetails: byModality(said, audioOutput, imageOutput) }
      : {}),
    ...(tier === '' ? {} : { serviceTier: tier }),
  };
}

/** The rest of a total is text. */
export function byModality(total: number, audio: number, image = 0): JsonObject[] {
  return [
    { modality: 'TEXT', tokenCount: total - audio - image },
    ...(audio > 0 ? [{ modality: 'AUDIO', tokenCount: audio }] : []),
    ...(image > 0 ? [{ modality: 'IMAGE', tokenCount: image }] : []),
  ];
}

/** Reasons of answers that failed. */
const FAILED: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'MALFORMED_RESPONSE',
  'MISSING_THOUGHT_SIGNATURE',
  'TOO_MANY_TOOL_CALLS',
  'UNEXPECTED_TOOL_CALL',
]);

export function contentOf(parts: JsonObject[]): JsonObject {
  return { role: 'model', parts };
}

/** The content of a last chunk, or of a whole answer: one that failed may have none. */
export function lastContentOf(answer: Answer, parts: JsonObject[]): JsonObject {
  const isEmpty = answer.pieces.length === 0 && FAILED.has(finishOf(answer));
  return isEmpty ? {} : { content: contentOf(parts) };
}

/** The fields of a complete candidate. */
export function closingOf(answer: Answer, manner: Manner): JsonObject {
  const finishReason = finishOf(answer);
  return {
    finishReason,
    ...(FAILED.has(finishReason) ? { finishMessage: `Failed: ${finishReason}.` } : {}),
    ...(answer.cites && manner.searches === 0 ? { citationMetadata: citationsOf(answer) } : {}),
    ...(manner.searches === 0 ? {} : { groundingMetadata: groundingOf(answer, manner) }),
    ...(manner.logprobs ? { avgLogprobs: -0.1, logprobsResult: logprobsOf(answer.pieces) } : {}),
  };
}

function citationsOf(answer: Answer): JsonObject {
  const endIndex = Buffer.byteLength(answer.pieces.join(''));
  const { title, url: uri } = SOURCE;
  return { citationSources: [{ startIndex: 0, endIndex, uri, title, license: '' }] };
}

function groundingOf(answer: Answer, { search, searches }: Manner): JsonObject {
  const text = answer.pieces.join('');
  const segment = { startIndex: 0, endIndex: Buffer.byteLength(text), text };
  return {
    webSearchQueries: Array.from({ length: searches }, () => search),
    searchEntryPoint: { renderedContent: '<div>A source</div>' },
    groundingChunks: [{ web: { uri: SOURCE.url, title: SOURCE.title } }],
    groundingSupports: [{ segment, groundingChunkIndices: [0], confidenceScores: [0.9] }],
  };
}

function logprobsOf(pieces: string[]): JsonObject {
  const chosen = pieces.map((token, at) => ({ token, tokenId: at, logProbability: -0.1 }));
  return { chosenCandidates: chosen, topCandidates: chosen.map((one) => ({ candidates: [one] })) };
}

export function chunkOf(
  { id, model, tier }: Heading,
  candidates: JsonObject[],
  usage: BilledUsage | undefined,
): JsonObject {
  return {
    candidates,
    ...(usage === undefined ? {} : { usageMetadata: usageMetadata(usage, tier) }),
    modelVersion: model,
    responseId: id,
  };
}

/** The answer to a blocked prompt. */
export function blockedOf(
  { id, model, tier }: Heading,
  usage: BilledUsage | undefined,
): JsonObject {
  return {
    promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
    ...(usage === undefined ? {} : { usageMetadata: usageMetadata(usage, tier) }),
    modelVersion: model,
    responseId: id,
  };
}
