// Counts a request's tokens without running a model: `POST /v1/messages/count_tokens`.

import { countOf, objectOf } from '../json';
import type { JsonObject } from '../normalised';
import { invalidAnswer } from '../upstream-error';

export { decodeTokenCountRequest } from './request';

export function encodeTokenCount(inputTokens: number): JsonObject {
  return { input_tokens: inputTokens };
}

/** @throws GatewayError `upstream_error` when it is not a count */
export function decodeTokenCount(body: unknown): number {
  const count = countOf(objectOf(body)?.['input_tokens']);
  if (count === undefined) throw invalidAnswer('it holds no count');
  return count;
}
