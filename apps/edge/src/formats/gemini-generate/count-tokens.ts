// Counts a request's tokens without running a model: `POST …/models/{model}:countTokens`. The body
// holds a whole request or only its contents.

import type { DecodeContext, EncodedRequest, TargetContext } from '../format';
import { countOf, objectOf } from '../json';
import type { JsonObject, NormalisedRequest } from '../normalised';
import { invalidAnswer } from '../upstream-error';
import { fieldOf } from './names';
import { decodeRequest, encodeRequest } from './request';

export function decodeTokenCountRequest(
  body: JsonObject,
  context: DecodeContext,
): NormalisedRequest {
  const whole = objectOf(fieldOf(body, 'generateContentRequest'));
  const request = decodeRequest(whole ?? body, { ...context, stream: false });
  return { ...request, raw: body };
}

/** A request in this format is sent unchanged. */
export function encodeTokenCountRequest(
  request: NormalisedRequest,
  target: TargetContext,
): EncodedRequest {
  const model = `models/${target.model}`;
  const { maxOutputTokens: _, ...unbounded } = target;
  if (request.format === 'gemini-generate') {
    const { provider: __, ...body } = request.raw;
    const spelled = 'generate_content_request' in body;
    const field = spelled ? 'generate_content_request' : 'generateContentRequest';
    const whole = objectOf(body[field]);
    return { body: whole ? { ...body, [field]: { ...whole, model } } : body, dropped: [] };
  }
  const { body, dropped } = encodeRequest(request, unbounded);
  return { body: { generateContentRequest: { model, ...body } }, dropped };
}

export function encodeTokenCount(inputTokens: number): JsonObject {
  return {
    totalTokens: inputTokens,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: inputTokens }],
  };
}

/**
 * Zero is absent on the wire.
 * @throws GatewayError `upstream_error` when it is not a count
 */
export function decodeTokenCount(body: unknown): number {
  const answer = objectOf(body);
  const count = countOf(answer?.['totalTokens'] ?? 0);
  if (answer === undefined || count === undefined) throw invalidAnswer('it holds no count');
  return count;
}
