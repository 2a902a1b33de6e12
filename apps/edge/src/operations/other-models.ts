import { gatewayError } from '@tollgate/contracts';

import type { JsonObject } from '../formats';

/**
 * Fields by which OpenRouter, LiteLLM and Anthropic run another model than the one that is named: the key may have no grant
 * for it, and it has another price.
 */
const NAMES_MODELS = ['models', 'fallbacks', 'fallback_model', 'fallback_models'] as const;

/** @throws GatewayError `unsupported_parameter` naming the field */
export function refuseOtherModels(fields: JsonObject): void {
  for (const param of NAMES_MODELS) {
    const named = fields[param];
    if (named === undefined || named === null || isEmptyList(named)) continue;
    const text = `${param}: other models are not served. Name candidates in a routing policy instead.`;
    throw gatewayError('unsupported_parameter', text, { param });
  }
  // The answer comes by another route, which the gateway does not see.
  if (fields['deferred'] === true) {
    const text = 'deferred: answers to fetch later are not served. Send the request without it.';
    throw gatewayError('unsupported_parameter', text, { param: 'deferred' });
  }
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
