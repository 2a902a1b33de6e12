// Converts usage of this format to the ledger's disjoint classes and back. The prompt count
// includes cached input, the candidates' count excludes thoughts, and each count is also given by
// modality.

import { tokensIn, tokensOut, type TokenUsage } from '@tollgate/contracts';

import { optionalCount } from '../counts';
import { arrayOf, countOf, isObject, objectOf } from '../json';
import type { JsonObject, ReportedUsage } from '../normalised';
import { tiersIn } from '../service-tiers';

const TOTALS = ['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount'] as const;

/**
 * Undefined if there is no usage, or if it is not valid. The parts never sum to more than the
 * total, whatever the provider reports.
 */
export function decodeUsage(value: unknown): ReportedUsage | undefined {
  if (!isObject(value)) return undefined;
  const prompt = countOf(value['promptTokenCount']);
  const candidates = countOf(value['candidatesTokenCount']);
  const thoughts = countOf(value['thoughtsTokenCount']) ?? 0;
  if (prompt === undefined && candidates === undefined && thoughts === 0) return undefined;
  if (TOTALS.some((name) => optionalCount(value[name], 0) === undefined)) return undefined;

  const prompted = prompt ?? 0;
  const cacheRead = Math.min(countOf(value['cachedContentTokenCount']) ?? 0, prompted);
  // Tool results are input in addition to the prompt.
  const toolUse = countOf(value['toolUsePromptTokenCount']) ?? 0;
  const uncached = prompted - cacheRead + toolUse;
  const uncachedOf = (modality: Modality): number => {
    const cached = countedAs(modality, value['cacheTokensDetails']);
    const asked = countedAs(modality, value['promptTokensDetails']);
    return Math.max(asked - cached + countedAs(modality, value['toolUsePromptTokensDetails']), 0);
  };
  const audioInput = Math.min(uncachedOf('AUDIO'), uncached);
  const imageInput = Math.min(uncachedOf('IMAGE'), uncached - audioInput);

  const generated = generatedTokens(value, prompted + toolUse, candidates ?? 0, thoughts);
  const answered = value['candidatesTokensDetails'];
  const audioOutput = Math.min(countedAs('AUDIO', answered), generated - thoughts);
  const imageOutput = Math.min(countedAs('IMAGE', answered), generated - thoughts - audioOutput);

  const tokens: TokenUsage = {
    input: uncached - audioInput - imageInput,
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    audioInput,
    imageInput,
    output: generated - audioOutput - imageOutput,
    audioOutput,
    imageOutput,
    reasoning: thoughts,
  };
  const tiers = tiersIn(value, TIER_FIELDS);
  return { tokens, inputTokens: prompted + toolUse, outputTokens: generated, ...tiers };
}

/** The Gemini API has the one, Vertex AI the other. */
const TIER_FIELDS = { service: ['serviceTier', 'trafficType'] } as const;

/** Some models include thoughts in the candidates' count; the total shows it. */
function generatedTokens(
  usage: JsonObject,
  input: number,
  candidates: number,
  thoughts: number,
): number {
  const total = countOf(usage['totalTokenCount']);
  const included = total === input + candidates && candidates >= thoughts;
  return included ? candidates : candidates + thoughts;
}

/** Whether the usage has output counts; in a stream the input count comes first. */
export function countsOutput(usage: JsonObject): boolean {
  const { candidatesTokenCount, thoughtsTokenCount } = usage;
  return countOf(candidatesTokenCount) !== undefined || countOf(thoughtsTokenCount) !== undefined;
}

/** Those with a price of their own; text, video and documents have none. */
type Modality = 'AUDIO' | 'IMAGE';

function countedAs(wanted: Modality, details: unknown): number {
  let tokens = 0;
  for (const entry of arrayOf(details)) {
    const { modality, tokenCount } = objectOf(entry) ?? {};
    if (modality === wanted) tokens += countOf(tokenCount) ?? 0;
  }
  return tokens;
}

export function encodeUsage(tokens: TokenUsage): JsonObject {
  const input = tokensIn(tokens);
  const output = tokensOut(tokens);
  const { cacheRead, audioInput, imageInput, audioOutput, imageOutput, reasoning } = tokens;
  const plainOutput = output - reasoning - audioOutput - imageOutput;
  return {
    promptTokenCount: input,
    candidatesTokenCount: output - reasoning,
    totalTokenCount: input + output,
    ...(cacheRead > 0 ? { cachedContentTokenCount: cacheRead } : {}),
    promptTokensDetails: modalities(input - audioInput - imageInput, audioInput, imageInput),
    ...(audioOutput + imageOutput > 0
      ? { candidatesTokensDetails: modalities(plainOutput, audioOutput, imageOutput) }
      : {}),
    ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
  };
}

function modalities(text: number, audio: number, image: number): JsonObject[] {
  const details = [{ modality: 'TEXT', tokenCount: text }];
  if (audio > 0) details.push({ modality: 'AUDIO', tokenCount: audio });
  if (image > 0) details.push({ modality: 'IMAGE', tokenCount: image });
  return details;
}
