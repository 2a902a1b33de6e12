// Log probabilities of tokens: two lists in this format (the chosen tokens, and the likeliest at
// each position), one list in the hub.

import { arrayOf, isObject, objectOf } from '../json';
import type { JsonObject } from '../normalised';

export function decodeLogprobs(value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  const likeliest = arrayOf(value['topCandidates']);
  const content = arrayOf(value['chosenCandidates']).map((chosen, at) => {
    const candidates = arrayOf(objectOf(likeliest[at])?.['candidates']);
    return { ...decodeToken(chosen), top_logprobs: candidates.map(decodeToken) };
  });
  return content.length > 0 ? { content } : undefined;
}

function decodeToken(value: unknown): JsonObject {
  const { token, logProbability } = objectOf(value) ?? {};
  const text = typeof token === 'string' ? token : '';
  const logprob = typeof logProbability === 'number' ? logProbability : 0;
  return { token: text, logprob, bytes: [...Buffer.from(text)] };
}

export function encodeLogprobs(logprobs: JsonObject): JsonObject {
  const places = arrayOf(logprobs['content']).map((place) => objectOf(place) ?? {});
  const likeliest = places.map((place) => arrayOf(place['top_logprobs']));
  return {
    chosenCandidates: places.map(encodeToken),
    ...(likeliest.some((list) => list.length > 0)
      ? { topCandidates: likeliest.map((list) => ({ candidates: list.map(encodeToken) })) }
      : {}),
  };
}

function encodeToken(value: unknown): JsonObject {
  const { token, logprob } = objectOf(value) ?? {};
  return { token, logProbability: logprob };
}
