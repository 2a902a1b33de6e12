import {
  asksService,
  type rest,
  type ScreeningPlace,
  type ScreeningRule,
} from '@tollgate/contracts';

import type { Hit } from './finder';
import { createProgram, readsTexts, type InputKind } from './program';
import { createScreening, type Screening } from './screening';
import { compileSchemas } from './whole';

const MOST_HITS = 1_000;

/**
 * Tries rules on a text, as a text of the last turn or of an answer. Rules about models and parameters take it for
 * a request, if it is a JSON object. Samples count as taken.
 * @throws RuleError, by the promise
 */
export async function tryRules(
  rules: readonly ScreeningRule[],
  place: ScreeningPlace,
  text: string,
): Promise<rest.ScreeningTested> {
  const named = rules.map((rule) => ({ policy: 'test', version: 1, rule }));
  const program = createProgram(named, { schemas: await compileSchemas(named) });
  const screening = createScreening({ program, random: () => 0 });
  let goesOn: string;
  if (place === 'INPUT' || place === 'TOOL_RESULTS' || place === 'MCP_REQUEST') {
    screening.reserve(text);
    goesOn = screening.input({ kind: { place, role: 'user', fresh: true }, text });
  } else {
    const channel = screening.answer({ place, json: false });
    const piece = channel.push(text);
    channel.flush();
    goesOn = piece.edited ?? text;
  }
  const found: Hit[] = [];
  const kind = kindOf(place);
  for (const finder of program.findersOf(place, kind)) finder.scan(text, found);
  const hits = found
    .toSorted((one, other) => one.start - other.start || other.end - one.end)
    .slice(0, MOST_HITS)
    .map(({ end, label, rule, start }) => ({ ruleId: rules[rule]?.id ?? '', label, start, end }));
  const judged = tryWhole(screening, place, text);
  const notAsked = rules
    .filter((rule) => rule.where.includes(place))
    .filter((rule) => asksService(rule) || !(readsTexts(rule) || judged))
    .map(({ id }) => id);
  const breaches = screening.whole.breaches().map(({ breach: { param, words }, rule }) => ({
    ruleId: rules[rule]?.id ?? '',
    reason: param === undefined ? words : `${param} ${words}`,
  }));
  const blockedBy = screening.blocked()?.named.rule.id ?? null;
  return { blockedBy, text: goesOn, hits, breaches, notAsked };
}

/** False: the text is no request, so rules about requests were not tried. */
function tryWhole({ whole }: Screening, place: ScreeningPlace, text: string): boolean {
  if (place === 'OUTPUT') whole.answer([{ text, calls: false, cut: false }]);
  if (place !== 'INPUT') return true;
  const document = objectIn(text);
  if (!document) return false;
  const { model } = document;
  whole.parameters({ document, generates: true });
  if (typeof model === 'string') whole.models({ named: model, candidates: [model] });
  return true;
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function kindOf(place: ScreeningPlace): InputKind | undefined {
  return place === 'INPUT' || place === 'TOOL_RESULTS' || place === 'MCP_REQUEST'
    ? { place, role: 'user', fresh: true }
    : undefined;
}
