// Request fields shared by several operations. `null` means absent.

import { GatewayError } from '@tollgate/contracts';
import { z } from 'zod';

import {
  estimateImage,
  estimateInputTokens,
  estimateReferences,
  estimateText,
} from '../formats/estimate';
import { textOf } from '../formats/json';
import { openaiResponses } from '../formats/openai-responses';

export const modelName = z.string('must name a model').min(1, 'must name a model');
export const optionalText = z.string('must be text').nullish();
export const optionalSwitch = z.boolean('must be true or false').nullish();

/** A request with a model, and an optional provider pin. */
export const addressed = z.looseObject({ model: modelName, provider: optionalText });

export function count(most: number) {
  const message = `must be a whole number from 1 to ${most}`;
  return z.number(message).int(message).min(1, message).max(most, message).nullish();
}

/** A required value: text, a non-empty list, or an object. */
export const given = z
  .unknown()
  .refine(
    (value) =>
      typeof value === 'string' || (Array.isArray(value) && value.length > 0) || isFilled(value),
    'must be text or a list that is not empty',
  );

function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The estimated tokens of any input: text, token ids, lists of either, or messages with text and
 * images.
 */
export function estimateInput(value: unknown): number {
  if (typeof value === 'string') return estimateText(value);
  if (typeof value === 'number') return 1;
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) {
    // Lists of token ids are long, so they are counted by their length.
    if (typeof value[0] === 'number') return value.length;
    return value.reduce((sum: number, item: unknown) => sum + estimateInput(item), 0);
  }
  let tokens = 0;
  for (const [name, item] of Object.entries(value)) {
    tokens += name === 'image_url' ? estimateImage(urlIn(item)) : estimateInput(item);
  }
  return tokens;
}

function urlIn(value: unknown): string {
  return textOf(value) ?? textOf((value as { url?: unknown } | null)?.url) ?? '';
}

/**
 * The estimated tokens of a conversation's items, which count as the input of a response does. Items that the codec refuses
 * are estimated by their fields, because only the provider decides about them.
 */
export function estimateItems(items: unknown): number {
  try {
    // The model only completes the request.
    const request = openaiResponses.decodeRequest({ model: 'any', input: items }, {});
    return estimateInputTokens(request);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return estimateInput(items) + estimateReferences(items);
  }
}
