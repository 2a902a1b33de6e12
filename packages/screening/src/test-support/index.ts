import { screeningRule, type ScreeningRule } from '@tollgate/contracts';

import { createProgram, type Program } from '../program';
import { createScreening, type Screening } from '../screening';

type Given = Record<string, unknown> & { readonly kind: string };

/** A rule as the REST API takes it; what is left out is a rule that masks everywhere. */
export function ruleOf(given: Given): ScreeningRule {
  return screeningRule.parse({
    id: 'one',
    where: ['INPUT', 'TOOL_RESULTS', 'OUTPUT', 'TOOL_ARGUMENTS'],
    action: 'MASK',
    onError: 'BLOCK',
    ...given,
  });
}

export function programOf(...rules: Given[]): Program {
  return createProgram(
    rules.map((given, at) => ({
      policy: 'house',
      version: 3,
      rule: ruleOf({ id: `rule-${at + 1}`, ...given }),
    })),
  );
}

export function screeningOf(...rules: Given[]): Screening {
  return createScreening({ program: programOf(...rules), random: () => 0.5 });
}

/** Sends a text through a channel in pieces, and returns what goes on. */
export function sent(screening: Screening, pieces: readonly string[]): string {
  const channel = screening.answer({ place: 'OUTPUT', json: false });
  const given = pieces.map((piece) => channel.push(piece));
  channel.flush();
  return given.map(({ edited }) => edited ?? '(undecided)').join('');
}

export const user = (text: string, fresh = true) =>
  ({ kind: { place: 'INPUT', role: 'user', fresh }, text }) as const;
