import { asksService, type ScreeningPlace } from '@tollgate/contracts';

import type { ExternalRule, NamedRule, Program } from './program';
import type { Verdicts } from './verdicts';

export interface Block {
  readonly place: ScreeningPlace;
  /** FOUND: the rule's hit. UNREADABLE: it cannot read what is there. UNAVAILABLE: its service gave no verdict. */
  readonly cause: 'FOUND' | 'UNREADABLE' | 'UNAVAILABLE';
  readonly named: NamedRule;
  /** What the service of the rule tells the client. */
  readonly message?: string | undefined;
}

export interface ScreeningOptions {
  readonly program: Program;
  /** From 0 to 1, for rules that screen a part of the requests. */
  readonly random: () => number;
  /** False: rules that ask services do not apply, because the request is of such a service. */
  readonly asks?: boolean;
  /** Numbers of placeholders begin after it. */
  readonly placeholdersFrom?: number;
}

/** Notes hits and sizes, and the first rule that refuses. */
export function createJudge({
  asks = true,
  program,
  random,
  verdicts,
}: ScreeningOptions & { readonly verdicts: Verdicts }) {
  const { rules } = program;
  const skipped = new Set(
    rules.flatMap(({ rule }, at) =>
      (rule.sample < 1 && random() >= rule.sample) || (asksService(rule) && !asks) ? [at] : [],
    ),
  );
  let blocked: Block | undefined;

  const block = (
    rule: number,
    place: ScreeningPlace,
    cause: Block['cause'] = 'FOUND',
    message?: string,
  ): void => {
    const named = rules[rule];
    if (named) blocked ??= { place, named, cause, message };
  };

  const undecided = (rule: number, place: ScreeningPlace, cause: Block['cause']): void => {
    const found = rules[rule]?.rule;
    if (!found || skipped.has(rule)) return;
    verdicts.failed(rule, place);
    if (found.action !== 'OBSERVE' && found.onError === 'BLOCK') block(rule, place, cause);
  };

  /** Undefined: the rule does not look at this request. */
  const hit = (
    rule: number,
    place: ScreeningPlace,
    repeats = false,
  ): NamedRule['rule'] | undefined => {
    if (skipped.has(rule)) return undefined;
    if (!repeats || !verdicts.hasHit(rule, place)) verdicts.hit(rule, place);
    const found = rules[rule]?.rule;
    if (found?.action === 'BLOCK') block(rule, place);
    return found;
  };

  return {
    blocked: () => blocked,
    externalRules: (...places: ScreeningPlace[]): readonly ExternalRule[] =>
      program.external.length === 0
        ? NO_RULES
        : program.external.filter(
            ({ at, rule }) =>
              !skipped.has(at) && places.some((place) => rule.where.includes(place)),
          ),
    hit,
    refused: (rule: number, place: ScreeningPlace, message?: string): void => {
      if (skipped.has(rule)) return;
      // Before the hit, which has no message. Without a part to mask, all of it must not go on.
      if (rules[rule]?.rule.action !== 'OBSERVE') block(rule, place, 'FOUND', message);
      hit(rule, place);
    },
    failed: (rule: number, place: ScreeningPlace): void => undecided(rule, place, 'UNAVAILABLE'),
    measure: createMeasure(program, hit),
    unreadable: (place: ScreeningPlace): void => {
      for (const [at, { rule }] of rules.entries()) {
        if (rule.where.includes(place)) undecided(at, place, 'UNREADABLE');
      }
    },
  };
}

/** Notes a hit of rules of size when the texts of a place pass their limit. */
function createMeasure(
  { sizesOf }: Program,
  hit: (rule: number, place: ScreeningPlace) => unknown,
): (place: ScreeningPlace, characters: number) => void {
  const sizes = new Map<ScreeningPlace, number>();
  return (place, characters) => {
    const limits = sizesOf(place);
    if (limits.length === 0) return;
    const before = sizes.get(place) ?? 0;
    const size = before + characters;
    sizes.set(place, size);
    for (const { maxCharacters, rule } of limits) {
      if (size > maxCharacters && before <= maxCharacters) hit(rule, place);
    }
  };
}

const NO_RULES: readonly ExternalRule[] = [];

export type Judge = ReturnType<typeof createJudge>;
