import { z } from 'zod';

import { formatUsd, MAX_NANO_USD, parseUsd, type NanoUsd } from '../money';
import {
  PASSTHROUGH_METHODS,
  PASSTHROUGH_RULES_MAX,
  passthroughCost,
  patternProblem,
  type PassthroughRule as StoredPassthroughRule,
} from '../passthrough';
import { id, usd, usdAmount } from './fields';

/** Which endpoints of a provider may be called as they are, and what a call costs. */

/** The edge buffers a request's body, so its own limit (BODY_LIMIT_BYTES) applies as well. */
const MOST_REQUEST_BYTES = 33_554_432;
const MOST_RESPONSE_BYTES = 1_073_741_824;

export const passthroughRule = z
  .object({
    method: z.enum(PASSTHROUGH_METHODS),
    path: z.string(),
    callPriceUsd: usdAmount,
    requestMegabytePriceUsd: usdAmount,
    responseMegabytePriceUsd: usdAmount,
    maxRequestBytes: z.int(),
    maxResponseBytes: z.int(),
  })
  .meta({ id: 'PassthroughRule' });
export type PassthroughRule = z.output<typeof passthroughRule>;

const pattern = z
  .string()
  .superRefine((text, context) => {
    const problem = patternProblem(text);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({
    description:
      "Path below the provider's base URL. * stands for one segment, ** at the end for one or more.",
  });

const price = (what: string) => usd.meta({ description: `US dollars ${what}. 0 must be given.` });

const ruleInput = z
  .strictObject({
    method: z.enum(PASSTHROUGH_METHODS),
    path: pattern,
    callPriceUsd: price('per call'),
    requestMegabytePriceUsd: price('per 1,000,000 bytes of request body'),
    responseMegabytePriceUsd: price('per 1,000,000 bytes of response body'),
    maxRequestBytes: z.int().min(0).max(MOST_REQUEST_BYTES).default(1_048_576),
    maxResponseBytes: z.int().min(0).max(MOST_RESPONSE_BYTES).default(10_485_760),
  })
  .superRefine((rule, context) => {
    const most = dearestCall(rule);
    if (most === undefined || most <= MAX_NANO_USD) return;
    context.addIssue({
      code: 'custom',
      path: ['callPriceUsd'],
      message: `a call of the largest size would cost more than ${formatUsd(MAX_NANO_USD)} US dollars`,
    });
  })
  .meta({ id: 'PassthroughRuleInput' });
export type PassthroughRuleInput = z.output<typeof ruleInput>;

export const passthroughRules = z
  .array(ruleInput)
  .max(PASSTHROUGH_RULES_MAX)
  .superRefine((rules, context) => {
    const seen = new Set<string>();
    for (const [at, { method, path }] of rules.entries()) {
      const name = `${method} ${path}`;
      if (seen.has(name)) {
        const message = 'another rule has this method and path';
        context.addIssue({ code: 'custom', path: [at, 'path'], message });
      }
      seen.add(name);
    }
  })
  .meta({
    description:
      'Endpoints that keys may call as they are at /v1/passthrough; the first rule that matches counts. Empty: none.',
  });

/** Undefined: a price or a size is at fault itself, and reported as such. */
function dearestCall(rule: PassthroughRule): NanoUsd | undefined {
  try {
    return passthroughCost(storedRule(rule), rule.maxRequestBytes, rule.maxResponseBytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A rule as it is stored and decided by. */
export function storedRule({
  callPriceUsd,
  requestMegabytePriceUsd,
  responseMegabytePriceUsd,
  ...rule
}: PassthroughRule): StoredPassthroughRule {
  return {
    ...rule,
    callNanoUsd: parseUsd(callPriceUsd).toString(),
    requestMegabyteNanoUsd: parseUsd(requestMegabytePriceUsd).toString(),
    responseMegabyteNanoUsd: parseUsd(responseMegabytePriceUsd).toString(),
  };
}

/** The most providers that one key may call. */
export const PASSTHROUGH_PROVIDERS_MAX = 100;

export const passthroughProviderIds = z
  .array(id)
  .max(PASSTHROUGH_PROVIDERS_MAX)
  .refine((ids) => new Set(ids).size === ids.length, 'each provider once')
  .meta({
    description:
      'Providers whose passthrough rules the key may use; empty: none. Only administrators change it.',
  });
