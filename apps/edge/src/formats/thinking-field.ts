// The `thinking` field of the messages format, which clients of the chat format and of the
// gateway's own format also send; and the switch that vLLM reads from chat template arguments.

import { z } from 'zod';

import type { DropList } from './drop-list';
import { addOtherFields, objectOf } from './json';
import type { JsonObject, NormalisedRequest } from './normalised';
import { MODEL_DECIDES } from './thinking-efforts';

type ReasoningBudget = Pick<NormalisedRequest, 'reasoningBudget'>;

export const THINKING_FIELD = 'thinking';
const DECODED: ReadonlySet<string> = new Set(['type', 'budget_tokens']);

/** Servers of the chat format accept `enabled` without a budget. */
export const thinkingField = z.looseObject(
  {
    type: z.string('must be enabled, adaptive or disabled'),
    budget_tokens: z.int('must be a whole number').positive('must be positive').nullish(),
  },
  'must be an object',
);

/**
 * Parts that a target cannot express become extras: the field under its name, its details under
 * their paths. An unknown type is an extra too, and no budget.
 */
export function decodeThinkingField(raw: unknown, extras: JsonObject): ReasoningBudget {
  const field = objectOf(raw);
  if (field === undefined) return {};
  addOtherFields(field, DECODED, THINKING_FIELD, extras);
  extras[THINKING_FIELD] = field;
  const tokens = tokensAsked(field);
  return tokens === undefined ? {} : { reasoningBudget: { tokens, path: THINKING_FIELD } };
}

function tokensAsked({ type, budget_tokens: tokens }: JsonObject): number | undefined {
  switch (type) {
    case 'enabled':
      return typeof tokens === 'number' ? tokens : MODEL_DECIDES;
    case 'adaptive':
      return MODEL_DECIDES;
    case 'disabled':
      return 0;
    default:
      return undefined;
  }
}

/** The field for a server of the messages format, with the client's details. */
export function encodeThinkingField(
  thinking: JsonObject | undefined,
  { extras, reasoningBudget }: NormalisedRequest,
  drops: DropList,
): JsonObject | undefined {
  const details = Object.keys(extras).filter((path) => path.startsWith(`${THINKING_FIELD}.`));
  const unread =
    reasoningBudget?.path === THINKING_FIELD ? undefined : objectOf(extras[THINKING_FIELD]);
  if (unread !== undefined && thinking === undefined) return unread;
  if (unread !== undefined) drops.drop(THINKING_FIELD);
  if (thinking === undefined || thinking['type'] === 'disabled') {
    for (const path of details) drops.drop(path);
    return thinking;
  }
  const written = { ...thinking };
  for (const path of details) written[path.slice(THINKING_FIELD.length + 1)] = extras[path];
  return written;
}

export function isThinkingPath(path: string): boolean {
  return path === THINKING_FIELD || path.startsWith(`${THINKING_FIELD}.`);
}

export const TEMPLATE_FIELD = 'chat_template_kwargs';
const SWITCH = 'enable_thinking';

/** Only the switch is decoded; other arguments stay extras, each by its path. */
export function decodeTemplateSwitch(extras: JsonObject): ReasoningBudget {
  const template = objectOf(extras[TEMPLATE_FIELD]);
  const on = template?.[SWITCH];
  if (template === undefined || typeof on !== 'boolean') return {};
  delete extras[TEMPLATE_FIELD];
  addOtherFields(template, new Set(), TEMPLATE_FIELD, extras);
  return {
    reasoningBudget: { tokens: on ? MODEL_DECIDES : 0, path: `${TEMPLATE_FIELD}.${SWITCH}` },
  };
}

/** The template arguments with thinking off. */
export function withThinkingOff(template: unknown): JsonObject {
  return { ...objectOf(template), [SWITCH]: false };
}
