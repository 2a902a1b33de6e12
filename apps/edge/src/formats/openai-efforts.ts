// How much reasoning the models of the chat and responses formats can be asked for. What a model does
// not take it refuses, so that a wish said in another format is brought to the nearest it does.

import type { DropList } from './drop-list';

/** From the least to the most. */
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
type Effort = (typeof EFFORTS)[number];

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

/** The effort as it can be said; one that is not what was asked for is named as dropped. */
export function encodeEffort(
  asked: string | undefined,
  { model }: { model: string },
  drops: DropList,
): string | undefined {
  const name = model.toLowerCase();
  const known = MODELS.find(([models]) => models.test(name))?.[1];
  if (asked === undefined || known === undefined) return asked;
  const at = EFFORTS.findIndex((effort) => effort === asked);
  // A word that is not known here is for the provider to judge.
  if (at === -1) return asked;
  const said = known.findLast((effort) => EFFORTS.indexOf(effort) <= at) ?? known[0];
  if (said !== asked) drops.drop('reasoning_effort');
  return said;
}
