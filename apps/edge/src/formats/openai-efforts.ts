// The reasoning efforts that models of the chat and responses formats accept. A model refuses any
// other effort, so another format's setting maps to the nearest one.

import type { ProviderType } from '@tollgate/contracts';
import type { DropList } from './drop-list';
import type { NormalisedRequest } from './normalised';
import {
  effortOf,
  MIDDLE_EFFORT,
  nearestEffort,
  thinkingEffort,
  tokensOf,
  type Effort,
} from './thinking-efforts';

const PLAIN = ['low', 'medium', 'high'] as const;

/** The vendor's models by its reasoning guide; the first match counts. */
const MODELS: readonly (readonly [RegExp, readonly Effort[]])[] = [
  [/(?:^|[/-])o\d/, PLAIN],
  [/gpt-5-chat/, []],
  [/gpt-5\.[12]-chat/, ['medium']],
  [/gpt-5-pro/, ['high']],
  [/gpt-5(?:\.1)?-codex(?!-max)/, PLAIN],
  [/gpt-5\.(?:1-codex-max|2-codex)/, [...PLAIN, 'xhigh']],
  [/gpt-5(?![.\d])/, ['minimal', ...PLAIN]],
  [/gpt-5\.1(?!\d)/, ['none', ...PLAIN]],
  [/gpt-5\.2-pro/, ['medium', 'high', 'xhigh']],
  [/gpt-5\.2(?!\d)/, ['none', ...PLAIN, 'xhigh']],
];

/**
 * Servers that accept the same efforts for every model. `none`, which some models ignore, is not
 * among them.
 */
const SERVERS: Readonly<Partial<Record<ProviderType, readonly Effort[]>>> = {
  PROVIDER_D: PLAIN,
};

/**
 * Models without reasoning. They refuse any effort, and a client that sent a budget cannot know
 * that.
 */
const NEVER_REASONS = /(?:^|[/-])(?:gpt-[34](?!\d)|chatgpt-4o)/;

/** Every reasoning model accepts these; newer ones also accept `none`. */
const COMMON: readonly Effort[] = ['none', ...PLAIN];

interface EffortTarget {
  providerType?: ProviderType;
  model: string;
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
  const said = nearestEffort(asked, known ?? COMMON);
  if (said === undefined || tokensOf(said) !== tokens) drops.drop(path);
  return said;
}

/** Undefined: the provider decides. */
function effortsOf(
  { providerType, model }: EffortTarget,
  asked: string,
): readonly Effort[] | undefined {
  const name = model.toLowerCase();
  const servers = providerType && SERVERS[providerType];
  if (servers !== undefined) return asked === 'none' ? ['none'] : servers;
  return MODELS.find(([models]) => models.test(name))?.[1];
}

/** The nearest effort that the model accepts; an inexact one is reported as dropped. */
export function encodeEffort(
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
  const said = nearestEffort(row.effort, known);
  const rests = asked === 'none' && known.length === 0;
  if (said !== asked && !rests) drops.drop('reasoning_effort');
  return said;
}
