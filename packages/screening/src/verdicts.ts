import type { ScreeningPlace } from '@tollgate/contracts';

import type { NamedRule } from './program';

/** The longest evidence, in characters; the rest is counted. */
export const EVIDENCE_CHARACTERS = 1_000;

export interface Verdicts {
  hit: (rule: number, place: ScreeningPlace) => void;
  hasHit: (rule: number, place: ScreeningPlace) => boolean;
  failed: (rule: number, place: ScreeningPlace) => void;
  /** How many parameters a plugin changed. */
  changed: (rule: number, place: ScreeningPlace, count: number) => void;
  /** The model that a plugin chose. */
  routed: (rule: number, place: ScreeningPlace, model: string) => void;
  /** The model that the first rule chose that may act; undefined: none did. */
  chosenModel: () => string | undefined;
  /** Tags that a plugin set. */
  tagged: (rule: number, tags: Readonly<Record<string, string>>) => void;
  /** Of several rules that set one key, the first in their order counts. */
  tags: () => ReadonlyMap<string, string>;
  /** More rules, which begin with those that there are. */
  grow: (rules: readonly NamedRule[]) => void;
  /** How long a service took; printed with what was noted. */
  took: (rule: number, place: ScreeningPlace, ms: number) => void;
  /** One for each rule and place. */
  all: () => readonly Verdict[];
  /** A list of structured fields (RFC 9651), one for each rule and place; empty: nothing was found. */
  text: () => string;
}

export interface Verdict {
  readonly named: NamedRule;
  readonly place: ScreeningPlace;
  hits: number;
  failures: number;
  changes: number;
  model: string | undefined;
}

const NO_TAGS: ReadonlyMap<string, string> = new Map();

export function createVerdicts(given: readonly NamedRule[]): Verdicts {
  let rules = given;
  let verdicts: Map<string, Verdict> | undefined;
  const times = new Map<string, number>();
  let tagsByRule: Map<number, Readonly<Record<string, string>>> | undefined;
  const verdictOf = (rule: number, place: ScreeningPlace): Verdict | undefined => {
    const named = rules[rule];
    if (!named) return undefined;
    verdicts ??= new Map();
    const key = `${rule} ${place}`;
    const nothing = { hits: 0, failures: 0, changes: 0, model: undefined };
    const known = verdicts.get(key) ?? { named, place, ...nothing };
    verdicts.set(key, known);
    return known;
  };
  return {
    hit: (rule, place) => {
      const verdict = verdictOf(rule, place);
      if (verdict) verdict.hits += 1;
    },
    hasHit: (rule, place) => (verdicts?.get(`${rule} ${place}`)?.hits ?? 0) > 0,
    failed: (rule, place) => {
      const verdict = verdictOf(rule, place);
      if (verdict) verdict.failures += 1;
    },
    changed: (rule, place, count) => {
      const verdict = verdictOf(rule, place);
      if (verdict) verdict.changes += count;
    },
    routed: (rule, place, model) => {
      const verdict = verdictOf(rule, place);
      if (verdict) verdict.model = model;
    },
    chosenModel: () => {
      const chosen = [...(verdicts?.values() ?? [])].filter(
        ({ model, named }) => model !== undefined && named.rule.action !== 'OBSERVE',
      );
      const first = rules.find((named) => chosen.some((one) => one.named === named));
      return chosen.find(({ named }) => named === first)?.model;
    },
    tagged: (rule, tags) => {
      if (Object.keys(tags).length === 0) return;
      tagsByRule ??= new Map();
      tagsByRule.set(rule, { ...tagsByRule.get(rule), ...tags });
    },
    tags: () => {
      if (!tagsByRule) return NO_TAGS;
      const ofLast = [...tagsByRule].toSorted(([one], [other]) => other - one);
      return new Map(ofLast.flatMap(([, tags]) => Object.entries(tags)));
    },
    grow: (more) => {
      rules = more;
    },
    took: (rule, place, ms) => {
      times.set(`${rule} ${place}`, Math.round(ms));
    },
    all: () => (verdicts ? [...verdicts.values()] : []),
    text: () => (verdicts ? printed([...verdicts], times) : ''),
  };
}

function printed(
  verdicts: readonly (readonly [string, Verdict])[],
  times: ReadonlyMap<string, number>,
): string {
  let text = '';
  for (const [at, [key, verdict]] of verdicts.entries()) {
    const ms = times.get(key);
    const { changes, failures, hits, model, named, place } = verdict;
    const { policy, rule, version } = named;
    const parts = [
      `${policy}/${rule.id}`,
      `v=${version}`,
      `in=${place.toLowerCase()}`,
      `action=${rule.action.toLowerCase()}`,
      ...(hits > 0 ? [`hits=${hits}`] : []),
      ...(failures > 0 ? [`failed=${failures}`] : []),
      ...(changes > 0 ? [`changed=${changes}`] : []),
      ...(model === undefined ? [] : [`model="${model}"`]),
      ...(ms === undefined ? [] : [`ms=${ms}`]),
    ];
    const next = `${text === '' ? '' : ', '}${parts.join(';')}`;
    if (text.length + next.length > EVIDENCE_CHARACTERS - 12)
      return `${text}, more;rules=${verdicts.length - at}`;
    text += next;
  }
  return text;
}
