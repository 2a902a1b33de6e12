// The reasoning efforts that models of the chat and responses formats accept. A model refuses any
// other effort, so another format's setting maps to the nearest one.

import type { DropList } from './drop-list';
import type { NormalisedRequest } from './normalised';
import {
  effortOf,
  EFFORTS,
  MIDDLE_EFFORT,
  nearestOf,
  thinkingEffort,
  tokensOf,
  type Effort,
} from './thinking-efforts';

/** The efforts that nearly every reasoning model accepts. */
export const PLAIN_EFFORTS = ['low', 'medium', 'high'] as const;

/** The vendor's models by its reasoning guide; the first match counts. */
const MODELS: readonly (readonly [RegExp, readonly Effort[]])[] = [
  [/(?:^|[/-])o\d/, PLAIN_EFFORTS],
  [/gpt-5-chat/, []],
  [/gpt-5\.[12]-chat/, ['medium']],
  [/gpt-5-pro/, ['high']],
  [/gpt-5(?:\.1)?-codex(?!-max)/, PLAIN_EFFORTS],
  [/gpt-5\.(?:1-codex-max|2-codex)/, [...PLAIN_EFFORTS, 'xhigh']],
  [/gpt-5(?![.\d])/, ['minimal', ...PLAIN_EFFORTS]],
  [/gpt-5\.1(?!\d)/, ['none', ...PLAIN_EFFORTS]],
  [/gpt-5\.2-pro/, ['medium', 'high', 'xhigh']],
  [/gpt-5\.2(?!\d)/, ['none', ...PLAIN_EFFORTS, 'xhigh']],
];

/**
 * Models without reasoning. They refuse any effort, and a client that sent a budget cannot know
 * that.
 */
const NEVER_REASONS = /(?:^|[/-])(?:gpt-[34](?!\d)|chatgpt-4o)/;

/** Every reasoning model accepts these; newer ones also accept `none`. */
const COMMON: readonly Effort[] = ['none', ...PLAIN_EFFORTS];

interface EffortTarget {
  model: string;
  /** The efforts that the provider accepts for every model; absent: they depend on the model. */
  efforts?: readonly Effort[] | undefined;
}

type Wish = Pick<NormalisedRequest, 'reasoningEffort' | 'reasoningBudget'>;

/** The effort of a request; an inexact mapping is reported as dropped. */
export function encodeReasoning(
  { reasoningEffort: effort, reasoningBudget: budget }: Wish,
  target: EffortTarget,
  drops: DropList,
): string | undefined {
  if (budget === undefined) return encodeEffort(effort, target, drops);
  // The format's own effort takes precedence over a token budget, unless thinking is off.
  if (effort !== undefined && budget.tokens !== 0) {
    const said = encodeEffort(effort, target, drops);
    const agrees = budget.tokens < 0 || thinkingEffort(effort)?.tokens === budget.tokens;
    if (!agrees) drops.drop(budget.path);
    return said;
  }
  if (effort !== undefined && effort !== 'none') drops.drop('reasoning_effort');
  return encodeBudget(budget, target, drops);
}

function encodeBudget(
  { tokens, path }: NonNullable<Wish['reasoningBudget']>,
  target: EffortTarget,
  drops: DropList,
): Effort | undefined {
  const asked = tokens < 0 ? MIDDLE_EFFORT : effortOf(tokens);
  const known = NEVER_REASONS.test(target.model.toLowerCase()) ? [] : effortsOf(target, asked);
  if (known?.length === 0) {
    if (tokens !== 0) drops.drop(path);
    return undefined;
  }
  // Models decide by default. Models with `none` do not reason unless they get an effort.
  if (tokens < 0) return known?.includes(asked) ? asked : undefined;
  const said = nearestOf(EFFORTS, asked, known ?? COMMON);
  if (said === undefined || tokensOf(said) !== tokens) drops.drop(path);
  return said;
}

/**
 * Undefined: the model is unknown, and the provider judges. `none` turns thinking off at a provider with
 * its own efforts, so it is not mapped to one of them.
 */
function effortsOf({ efforts, model }: EffortTarget, asked: string): readonly Effort[] | undefined {
  if (efforts !== undefined) return asked === 'none' ? ['none'] : efforts;
  const name = model.toLowerCase();
  return MODELS.find(([models]) => models.test(name))?.[1];
}

/** The nearest effort that the model accepts; an inexact one is reported as dropped. */
function encodeEffort(
  asked: string | undefined,
  target: EffortTarget,
  drops: DropList,
): string | undefined {
  if (asked === undefined) return undefined;
  const known = effortsOf(target, asked);
  if (known === undefined) return asked;
  const row = thinkingEffort(asked);
  // The provider judges an unknown word.
  if (row === undefined) return asked;
  const said = nearestOf(EFFORTS, row.effort, known);
  const rests = asked === 'none' && known.length === 0;
  if (said !== asked && !rests) drops.drop('reasoning_effort');
  return said;
}
