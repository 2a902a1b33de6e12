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
  /** Of a rule that judges more than texts. */
  readonly breach?: Breach | undefined;
}

/** What does not keep a rule. It never has a text of the request or the answer. */
export interface Breach {
  /** The parameter of the request, as the client wrote it. */
  readonly param?: string | undefined;
  /** A JSON pointer into the answer. Undefined: it is not JSON. */
  readonly path?: string | undefined;
  /** What is wrong, or what the parameter must be. */
  readonly words: string;
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

type Told = Pick<Block, 'breach' | 'message'>;

/** What a request is judged by, also when more rules join. */
interface Judged {
  blocked: Block | undefined;
  /** Places of rules that do not look at this request. */
  readonly skipped: Set<number>;
}

type JudgeOptions = ScreeningOptions & {
  readonly verdicts: Verdicts;
  readonly judged?: Judged;
};

/** Notes hits and sizes, and the first rule that refuses. */
export function createJudge({
  asks = true,
  judged = { blocked: undefined, skipped: new Set() },
  program,
  random,
  verdicts,
}: JudgeOptions) {
  const { rules } = program;
  const { skipped } = judged;
  for (const [at, { rule }] of rules.entries()) {
    if (at < program.judged) continue;
    const sampled = rule.sample >= 1 || random() < rule.sample;
    if (!sampled || (asksService(rule) && !asks)) skipped.add(at);
  }

  const block = (
    rule: number,
    place: ScreeningPlace,
    cause: Block['cause'] = 'FOUND',
    told: Told = {},
  ): void => {
    const named = rules[rule];
    if (named) judged.blocked ??= { place, named, cause, ...told };
  };

  const undecided = (rule: number, place: ScreeningPlace, cause: Block['cause']): void => {
    const found = rules[rule]?.rule;
    if (!found || skipped.has(rule)) return;
    verdicts.failed(rule, place);
    if (acts(rules[rule]) && found.onError === 'BLOCK') block(rule, place, cause);
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

  const refuse = (rule: number, place: ScreeningPlace, told: Told): void => {
    if (skipped.has(rule)) return;
    // Before the hit, which says less. Without a part to mask, all of it must not go on.
    if (acts(rules[rule])) block(rule, place, 'FOUND', told);
    hit(rule, place);
  };

  return {
    judged,
    blocked: () => judged.blocked,
    externalRules: (...places: ScreeningPlace[]): readonly ExternalRule[] =>
      program.externalOf(places).filter(({ at }) => !skipped.has(at)),
    hit,
    refused: (rule: number, place: ScreeningPlace, message?: string): void =>
      refuse(rule, place, { message }),
    /** Notes that a rule is not kept that judges more than texts. */
    breaks: (rule: number, place: ScreeningPlace, breach: Breach): void =>
      refuse(rule, place, { breach }),
    isBlocking: (rule: number): boolean => acts(rules[rule]),
    looksAt: (rule: number): boolean => !skipped.has(rule),
    undecided,
    failed: (rule: number, place: ScreeningPlace): void => undecided(rule, place, 'UNAVAILABLE'),
    measure: createMeasure(program, hit),
    unreadable: (place: ScreeningPlace): void => {
      for (const at of rules.keys()) {
        if (program.readsPlace(at, place)) undecided(at, place, 'UNREADABLE');
      }
    },
  };
}

function acts(named: NamedRule | undefined): boolean {
  return named !== undefined && named.rule.action !== 'OBSERVE';
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

export type Judge = ReturnType<typeof createJudge>;
