import type { WholeRule } from '@tollgate/contracts';

export type ModelsRule = Extract<WholeRule, { kind: 'MODELS' }>;

/** Whether a name is in the list of the rule. */
export function createModelMatcher({ models }: ModelsRule): (name: string) => boolean {
  const exact = new Set(models.filter((name) => !name.endsWith('*')));
  const beginnings = models.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  return (name) => exact.has(name) || beginnings.some((beginning) => name.startsWith(beginning));
}

/** Models that a request may reach. */
export interface AskedModels {
  /** As the client sent it; empty: it named none. */
  readonly named: string;
  /** The gateway's names of those that may answer, in the order to try. */
  readonly candidates: readonly string[];
}

/**
 * Whether each candidate may answer; undefined: the request is refused whole. A client's name may be that of a
 * routing policy, so a list of allowed models does not look at it where candidates are known.
 */
export function allowedCandidates(
  { mode }: Pick<ModelsRule, 'mode'>,
  matches: (name: string) => boolean,
  { candidates, named }: AskedModels,
): readonly boolean[] | undefined {
  if (mode === 'DENY' && named !== '' && matches(named)) return undefined;
  const allowed = candidates.map((name) => matches(name) === (mode === 'ALLOW'));
  return allowed.includes(true) ? allowed : undefined;
}
