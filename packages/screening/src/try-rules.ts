import type { rest, ScreeningPlace, ScreeningRule } from '@tollgate/contracts';

import type { Hit } from './finder';
import { createProgram, type InputKind } from './program';
import { createScreening } from './screening';

const MOST_HITS = 1_000;

/**
 * Tries rules on a text, as a text of the last turn or of an answer. Samples count as taken.
 * @throws RuleError
 */
export function tryRules(
  rules: readonly ScreeningRule[],
  place: ScreeningPlace,
  text: string,
): rest.ScreeningTested {
  const program = createProgram(rules.map((rule) => ({ policy: 'test', version: 1, rule })));
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
  const notAsked = program.externalOf([place]).map(({ rule }) => rule.id);
  return { blockedBy: screening.blocked()?.named.rule.id ?? null, text: goesOn, hits, notAsked };
}

function kindOf(place: ScreeningPlace): InputKind | undefined {
  return place === 'INPUT' || place === 'TOOL_RESULTS' || place === 'MCP_REQUEST'
    ? { place, role: 'user', fresh: true }
    : undefined;
}
