import type { rest } from '@tollgate/contracts';

import { showExactUsd } from '../../format/money';
import { showCount } from '../../format/numbers';

// A decision of the gateway in words.

const CHECKS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    key: 'The key is active and not expired',
    stored_items: 'The stored items that it names belong to this key',
    conversation: 'The conversation can be continued',
    stored_object: 'The stored object belongs to this key',
    model: 'The organisation has the model',
    operation: 'The model can do this',
    sunset: 'It is not past its sunset',
    provider_operation: 'Its provider can do this',
    provider_pin: 'The provider that it asks for serves the model',
    route: 'The path serves models of this provider',
    continued_response: 'The response that it continues is there',
    stored_items_reachable: 'The stored items are at this provider',
    provider_set_up: 'The provider is switched on, and the model has a price',
    tool_prices: 'The tools that it uses have prices',
    tier_prices: 'The processing tiers that it asks for have prices',
    model_access: 'The key may use the model',
    region: 'Its provider is in a region that the request may use',
    screening_region: 'The services that screen its texts are in such a region',
    mcp_access: 'The key may use the MCP server',
    routing: 'The routing policy has a candidate left',
    limits: 'Every limit has room',
    screening: 'No rule that runs in the gateway blocks it',
    translation: 'It can be written for the provider',
    tags: 'The organisation knows its tags, or ignores others',
    values: 'It names the end user, session or tag that a limit needs',
    passthrough: 'The key may call this path of the provider',
  }),
);

export function checkWords(check: string): string {
  return CHECKS.get(check) ?? check.replaceAll('_', ' ');
}

const BOUNDS: Readonly<Record<string, string>> = {
  REQUEST: 'the bound that the request sets',
  MODEL_DEFAULT: 'assumed by the model, because the request sets no bound',
  MODEL_MAXIMUM: 'the most that the model can write',
  GATEWAY: 'assumed by the gateway, because nothing else is known',
  BUDGET: 'lowered to what a budget affords',
  EXPECTED: 'expected of what the request asks for',
};

type HeldWords = Pick<
  NonNullable<rest.ExplainedDecision['hold']>,
  'choices' | 'inputTokens' | 'outputBound' | 'outputTokens' | 'usd'
>;

/** "$0.02 for 100 input tokens and up to 50 output tokens (…)". */
export function holdWords(hold: HeldWords): string {
  const { choices, inputTokens, outputBound, outputTokens, usd } = hold;
  const input = `${showExactUsd(usd)} for ${showCount(inputTokens)} input tokens (estimated)`;
  if (outputTokens === 0) return input;
  const times = choices > 1 ? `${String(choices)} × ` : '';
  const why = outputBound === null ? '' : ` (${BOUNDS[outputBound] ?? outputBound})`;
  return `${input} and up to ${times}${showCount(outputTokens)} output tokens${why}`;
}

/** What is said of figures that are not those of the script that decided. */
export const SOURCE_WORDS: Readonly<Record<rest.FigureSource, string | undefined>> = {
  STORE: undefined,
  MEMORY: 'from memory; taken from what is held in advance',
  REPEATED: 'read a moment later, because the gateway asked twice',
};
