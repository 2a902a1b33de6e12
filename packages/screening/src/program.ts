// The rules of all policies that apply to a request, compiled once.

import {
  asksService,
  isOneOf,
  type AskingRule,
  type ScreeningPlace,
  type ScreeningRole,
  type ScreeningRule,
} from '@tollgate/contracts';

import type { Finder } from './finder';
import { createInvisibleFinder } from './finders/invisible-text';
import { createPatternFinder } from './finders/patterns';
import { createPersonalDataFinder } from './finders/personal-data';
import { createPhraseFinder, type Phrase } from './finders/phrases';
import { injectionPhrases } from './finders/prompt-injection';
import { createSecretFinder } from './finders/secrets';
import { createUrlFinder } from './finders/urls';
import { RuleError } from './rule-error';
import { NO_SCHEMAS, prepareRules, type CompiledSchemas, type PreparedRule } from './whole';

/** A rule with the version of the policy that has it. */
export interface NamedRule {
  /** The policy's identifier. */
  readonly policy: string;
  readonly version: number;
  readonly rule: ScreeningRule;
}

/** A text of a request. */
export interface InputKind {
  readonly place: 'INPUT' | 'TOOL_RESULTS' | 'MCP_REQUEST';
  readonly role: ScreeningRole;
  /** It belongs to the last turn. */
  readonly fresh: boolean;
}

export interface Program {
  readonly rules: readonly NamedRule[];
  /** Rules before this place have read the request, so they read its answer only. */
  readonly judged: number;
  /** Places that some rule looks at. */
  readonly places: ReadonlySet<ScreeningPlace>;
  /** Some rule replaces texts of a request. */
  readonly masksInput: boolean;
  /** Some rule may refuse. */
  readonly blocks: (place: ScreeningPlace) => boolean;
  readonly findersOf: (place: ScreeningPlace, kind?: InputKind) => readonly Finder[];
  /** Rules of size for a place, with their place in the list. */
  readonly sizesOf: (place: ScreeningPlace) => readonly SizeRule[];
  /** Whether a rule looks at texts of a place, and has not done so before. */
  readonly readsPlace: (rule: number, place: ScreeningPlace) => boolean;
  /** Rules that ask services about some of these places. */
  readonly externalOf: (places: readonly ScreeningPlace[]) => readonly ExternalRule[];
  /** Rules that judge more than texts. */
  readonly whole: readonly PreparedRule[];
}

export interface ExternalRule {
  /** Its place in the list. */
  readonly at: number;
  readonly named: NamedRule;
  readonly rule: AskingRule;
}

/** Places of texts that clients send. */
export const REQUEST_PLACES = ['INPUT', 'TOOL_RESULTS', 'MCP_REQUEST'] as const;

export interface SizeRule {
  readonly rule: number;
  readonly maxCharacters: number;
}

export interface ProgramOptions {
  /** Those of the rules, as `compileSchemas` returns them. */
  readonly schemas?: CompiledSchemas;
  /** So many rules have read the request before. */
  readonly judged?: number;
}

/** @throws RuleError naming the rule that cannot be compiled */
export function createProgram(
  rules: readonly NamedRule[],
  { judged = 0, schemas = NO_SCHEMAS }: ProgramOptions = {},
): Program {
  for (const [at, { rule }] of rules.entries()) compile([[rule, at]]);
  const reading = rules.filter(({ rule }) => readsTexts(rule));
  const places = new Set(reading.flatMap(({ rule }) => rule.where));
  const cache = new Map<string, readonly Finder[]>();
  const findersOf: Program['findersOf'] = (place, kind) => {
    const chosen = rules.flatMap(({ rule }, at): [ScreeningRule, number][] =>
      rule.where.includes(place) && (!kind || (at >= judged && reads(rule, kind)))
        ? [[rule, at]]
        : [],
    );
    const key = chosen.map(([, at]) => at).join();
    const known = cache.get(key) ?? compile(chosen);
    cache.set(key, known);
    return known;
  };
  const byKind = new Map<string, readonly Finder[]>();
  const external = rules.flatMap((named, at) =>
    asksService(named.rule) ? [{ at, named, rule: named.rule }] : [],
  );
  const readsPlace: Program['readsPlace'] = (at, place) => {
    const rule = rules[at]?.rule;
    if (!rule || !readsTexts(rule) || !rule.where.includes(place)) return false;
    return at >= judged || !isOneOf(REQUEST_PLACES, place);
  };
  return {
    rules,
    judged,
    places,
    masksInput: rules.some(
      ({ rule: { action, where } }) =>
        action === 'MASK' && REQUEST_PLACES.some((place) => where.includes(place)),
    ),
    blocks: (place) =>
      reading.some(({ rule: { action, where } }) => action !== 'OBSERVE' && where.includes(place)),
    findersOf: (place, kind) => {
      const key = kind ? `${place} ${kind.role} ${kind.fresh}` : place;
      const known = byKind.get(key) ?? findersOf(place, kind);
      byKind.set(key, known);
      return known;
    },
    sizesOf: (place) =>
      rules.flatMap(({ rule }, at) =>
        rule.kind === 'SIZE' && readsPlace(at, place)
          ? [{ rule: at, maxCharacters: rule.maxCharacters }]
          : [],
      ),
    readsPlace,
    externalOf: (places) =>
      external.filter(({ at }) => places.some((place) => readsPlace(at, place))),
    whole: prepareRules(rules, schemas),
  };
}

/** The others judge requests and answers as a whole. */
export function readsTexts({ kind }: ScreeningRule): boolean {
  return kind !== 'MODELS' && kind !== 'PARAMETERS' && kind !== 'JSON_SCHEMA';
}

/** Whether a rule reads a text of a request. A text that is masked in one turn must be masked in all. */
export function reads(
  { action, roles }: ScreeningRule,
  { fresh, place, role }: InputKind,
): boolean {
  // MCP messages have no turns.
  if (place === 'MCP_REQUEST') return true;
  if (action === 'MASK') return roles === null || place === 'TOOL_RESULTS' || roles.includes(role);
  if (roles === null) return fresh;
  return place === 'TOOL_RESULTS' || roles.includes(role);
}

function compile(rules: readonly [ScreeningRule, number][]): Finder[] {
  const phrases = rules.flatMap(([rule, at]) => phrasesOf(rule, at));
  const finders = rules.flatMap(([rule, at]) => finderOf(rule, at) ?? []);
  if (phrases.length === 0) return finders;
  return [...phraseFinders(phrases), ...finders];
}

/** One automaton for all, or one for each rule where that would be too large. */
function phraseFinders(phrases: readonly Phrase[]): Finder[] {
  try {
    return [createPhraseFinder(phrases)];
  } catch (error) {
    const byRule = [...Map.groupBy(phrases, ({ rule }) => rule).values()];
    const [first] = phrases;
    if (byRule.length < 2 || !first) {
      throw new RuleError(first?.rule ?? 0, 'keywords', messageOf(error));
    }
    return byRule.flatMap(phraseFinders);
  }
}

function phrasesOf(rule: ScreeningRule, at: number): Phrase[] {
  switch (rule.kind) {
    case 'KEYWORDS': {
      const { caseSensitive, keywords, wholeWords: wholeWord } = rule;
      return keywords.map((text) => ({
        text,
        rule: at,
        label: 'KEYWORD',
        caseSensitive,
        wholeWord,
      }));
    }
    case 'CANARY':
      return [
        { text: rule.token, rule: at, label: 'CANARY', caseSensitive: true, wholeWord: false },
      ];
    case 'PROMPT_INJECTION':
      return injectionPhrases(at);
    default:
      return [];
  }
}

function finderOf(rule: ScreeningRule, at: number): Finder | undefined {
  switch (rule.kind) {
    case 'REGEX':
      return patternsOf(rule, at);
    case 'PERSONAL_DATA':
      return createPersonalDataFinder(rule.types, at);
    case 'SECRETS':
      return createSecretFinder(at);
    case 'INVISIBLE_TEXT':
      return createInvisibleFinder(at);
    case 'URLS':
      return createUrlFinder({ rule: at, mode: rule.mode, domains: rule.domains });
    default:
      return undefined;
  }
}

function patternsOf(rule: Extract<ScreeningRule, { kind: 'REGEX' }>, at: number): Finder {
  const { ignoreCase, patterns } = rule;
  const finders = patterns.map((pattern, index) => {
    try {
      return createPatternFinder([pattern], { ignoreCase, rule: at });
    } catch (error) {
      throw new RuleError(at, `patterns[${index}].pattern`, messageOf(error));
    }
  });
  return {
    windowed: true,
    scan: (text, found) => Math.min(...finders.map((finder) => finder.scan(text, found))),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
