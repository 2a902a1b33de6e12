// Failures within an answer: a response whose status is `failed`, or an event that says so.

import { type ErrorCode, type GatewayError } from '@tollgate/contracts';

import { HANDLING } from '../../error-handling';
import { CONTEXT_OVERFLOW, isContextOverflow } from '../context-overflow';
import { isObject, objectOf, present, textOf } from '../json';
import type { JsonObject } from '../normalised';
import { readErrorObject } from '../openai-chat/error';
import { upstreamError } from '../upstream-error';

/** The gateway's code for each failure code of the format; any other code is a provider failure. */
const MEANINGS: Readonly<Record<string, ErrorCode>> = {
  rate_limit_exceeded: 'upstream_rate_limited',
  invalid_prompt: 'upstream_rejected',
  [CONTEXT_OVERFLOW]: 'upstream_rejected',
  data_residency_mismatch: 'upstream_rejected',
  bio_policy: 'upstream_rejected',
  misalignment_policy_violation: 'upstream_rejected',
  invalid_image: 'upstream_rejected',
  invalid_image_format: 'upstream_rejected',
  invalid_base64_image: 'upstream_rejected',
  invalid_image_url: 'upstream_rejected',
  invalid_image_mode: 'upstream_rejected',
  image_too_large: 'upstream_rejected',
  image_too_small: 'upstream_rejected',
  image_parse_error: 'upstream_rejected',
  image_content_policy_violation: 'upstream_rejected',
  image_file_too_large: 'upstream_rejected',
  unsupported_image_media_type: 'upstream_rejected',
  empty_image_file: 'upstream_rejected',
  failed_to_download_image: 'upstream_rejected',
  image_file_not_found: 'upstream_rejected',
};

/** Reads `{code, message}`, at the top of a value or within its `error`. */
export function decodeFailure(value: unknown): GatewayError {
  const said = readErrorObject(value);
  const own = said.code !== undefined && Object.hasOwn(MEANINGS, said.code);
  const code = (own ? MEANINGS[said.code ?? ''] : undefined) ?? 'upstream_error';
  const type = said.type === 'error' ? undefined : said.type;
  const details = present({ upstreamCode: said.code, upstreamType: type });
  const param = code === 'upstream_rejected' ? said.param : undefined;
  return upstreamError(code, said.message, present({ details, param }));
}

/** Statuses of answers that will never be complete. */
const FAILED: ReadonlySet<string> = new Set(['failed', 'cancelled']);

/** The error of a response that failed; undefined when it did not. */
export function failureOf(response: JsonObject): GatewayError | undefined {
  const { error } = response;
  if (isObject(error)) return decodeFailure(error);
  return FAILED.has(textOf(response['status']) ?? '') ? decodeFailure({}) : undefined;
}

/** Whether a stream event is an error: flat, nested, or by its name alone. */
export function isErrorEvent(name: string, event: JsonObject): boolean {
  if (name === 'error' || event['type'] === 'error') return true;
  return event['type'] === undefined && objectOf(event['error']) !== undefined;
}

/** The format has few codes of its own, so the gateway's code becomes the type. */
export function encodeFailure(error: GatewayError): JsonObject {
  const { code, message, param } = error;
  return { code: failureCode(error), message, type: code, ...present({ param }) };
}

/** The upstream's code stays if it is one of the format, with the meaning that it has here. */
function failureCode(error: GatewayError): string {
  if (isContextOverflow(error)) return CONTEXT_OVERFLOW;
  const upstream = error.details?.['upstreamCode'];
  const known = typeof upstream === 'string' && Object.hasOwn(MEANINGS, upstream);
  return known && MEANINGS[upstream] === error.code
    ? upstream
    : HANDLING[error.code].responsesFailure;
}
