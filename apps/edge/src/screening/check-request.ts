// Asks services about the texts of a request: before the upstream call, or beside it.

import { decodedText, reads, type ExternalRule, type Screening } from '@tollgate/screening';

import type { AuthorisedExchange } from '../exchange/exchange';
import type { Changeable, Checks, TextToCheck } from '../exchange/screening';
import { observe } from './check-answer';
import { passOn, type PassedText } from './passed-text';

/**
 * Waits for rules that decide before the upstream call. Others run on: the answer waits for those that
 * may refuse, and only the record for those that observe.
 */
export async function checkRequest(
  exchange: AuthorisedExchange,
  screening: Screening,
  checks: Checks,
  texts: readonly PassedText[],
  changeable?: Changeable,
): Promise<void> {
  const rules = screening.externalRules('INPUT', 'TOOL_RESULTS');
  if (rules.length === 0 || texts.length === 0) return;
  const { BEFORE = [], BESIDE = [], OBSERVE = [] } = Object.groupBy(rules, whenOf);
  if (BEFORE.length > 0) {
    await checkTexts(screening, checks, BEFORE, texts, changeable);
    if (screening.blocked()) return;
  }
  // What goes on is what the others read, so that they never get a text that is masked.
  const read = texts.map(toCheck);
  const run = async (some: readonly ExternalRule[]): Promise<void> => {
    const found = await checks.run(some, read, changeable);
    for (const [at, hits] of found.entries()) {
      const text = texts[at];
      if (text && hits.length > 0) edit(screening, text, hits);
    }
  };
  if (OBSERVE.length > 0) observe(exchange, run(OBSERVE));
  if (BESIDE.length === 0) return;
  const judging = BESIDE.map((rule) => run([rule]));
  // The record has the verdicts of all rules, also if one has refused before.
  observe(exchange, Promise.all(judging));
  const { withholding } = exchange;
  exchange.withholding = untilRefused(screening, withholding ? [withholding, ...judging] : judging);
}

/** Ends with the last of the verdicts, or with the first that refuses the request. */
async function untilRefused(
  { blocked }: Screening,
  judging: readonly Promise<void>[],
): Promise<void> {
  const refusedOrAll = async (verdict: Promise<void>): Promise<void> => {
    await verdict;
    if (!blocked()) await Promise.all(judging);
  };
  await Promise.race(judging.map(refusedOrAll));
}

/** Waits for the verdicts, and edits the texts by them. */
export async function checkTexts(
  screening: Screening,
  checks: Checks,
  rules: readonly ExternalRule[],
  texts: readonly PassedText[],
  changeable?: Changeable,
): Promise<void> {
  const found = await checks.run(rules, texts.map(toCheck), changeable);
  for (const [at, text] of texts.entries()) {
    const hits = found[at] ?? [];
    if (hits.length > 0) passOn(text, edit(screening, text, hits));
  }
}

function whenOf({ rule: { action, wait } }: ExternalRule): 'BEFORE' | 'BESIDE' | 'OBSERVE' {
  return action === 'OBSERVE' ? 'OBSERVE' : wait;
}

function toCheck({ json = false, kind, text }: PassedText): TextToCheck {
  return {
    place: kind.place,
    role: kind.role,
    text: decodedText(text, json),
    reads: ({ rule }) => rule.where.includes(kind.place) && reads(rule, kind),
  };
}

type Hits = Parameters<Screening['edit']>[1];

function edit(screening: Screening, { json = false, kind, text }: PassedText, hits: Hits): string {
  return screening.edit({ place: kind.place, json, pieces: [text] }, hits).join('');
}
