// How much reasoning the models of the chat and responses formats can be asked for. What a model does
// not take it refuses, so that a wish said in another format is brought to the nearest it does.

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

/** What is known of the vendor's models (its reasoning guide); the first that fits counts. */
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

/** Servers that take the same efforts for every model. `none`, which some models overlook, is not less. */
const SERVERS: Readonly<Partial<Record<ProviderType, readonly Effort[]>>> = {
  PROVIDER_D: PLAIN,
};

/** Models before reasoning. They refuse any effort, which a client that wrote a budget cannot know. */
const NEVER_REASONS = /(?:^|[/-])(?:gpt-[34](?!\d)|chatgpt-4o)/;

/** Every model that reasons takes these, and the newer ones `none`. */
const COMMON: readonly Effort[] = ['none', ...PLAIN];

interface EffortTarget {
  providerType?: ProviderType;
  model: string;
}

type Wish = Pick<NormalisedRequest, 'reasoningEffort' | 'reasoningBudget'>;

/** The effort for a request; what is not quite what was asked for is named as dropped. */
export function encodeReasoning(
  { reasoningEffort: effort, reasoningBudget: budget }: Wish,
  target: EffortTarget,
  drops: DropList,
): string | undefined {
  if (budget === undefined) return encodeEffort(effort, target, drops);
  // The target's own word counts for more than a number of tokens, but not where thinking is off.
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
  // Models decide by themselves anyway. Those that know `none` rest unless they are told an effort.
  if (tokens < 0) return known?.includes(asked) ? asked : undefined;
  const said = nearestEffort(asked, known ?? COMMON);
  if (said === undefined || tokensOf(said) !== tokens) drops.drop(path);
  return said;
}

/** Undefined: the provider judges. */
function effortsOf(
  { providerType, model }: EffortTarget,
  asked: string,
): readonly Effort[] | undefined {
  const name = model.toLowerCase();
  const servers = providerType && SERVERS[providerType];
  if (servers !== undefined) return asked === 'none' ? ['none'] : servers;
  return MODELS.find(([models]) => models.test(name))?.[1];
}

/** The effort as it can be said; one that is not what was asked for is named as dropped. */
export function encodeEffort(
  asked: string | undefined,
  target: EffortTarget,
  drops: DropList,
): string | undefined {
  if (asked === undefined) return undefined;
  const known = effortsOf(target, asked);
  if (known === undefined) return asked;
  const row = thinkingEffort(asked);
  // A word that is not known here is for the provider to judge.
  if (row === undefined) return asked;
  const said = nearestEffort(row.effort, known);
  const rests = asked === 'none' && known.length === 0;
  if (said !== asked && !rests) drops.drop('reasoning_effort');
  return said;
}
