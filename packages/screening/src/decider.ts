import { isOneOf, type ScreeningPlace } from '@tollgate/contracts';

import type { Edit } from './channel';
import type { Hit } from './finder';
import type { Judge } from './judge';
import { NO_RULE, plainPlaceholder, type Placeholders } from './placeholders';
import { REQUEST_PLACES, type NamedRule } from './program';

interface DeciderParts {
  readonly judge: Pick<Judge, 'hit'>;
  readonly placeholders: Placeholders;
  readonly place: ScreeningPlace;
  readonly json: boolean;
  readonly repeats: boolean;
}

export function isOfRequest(place: ScreeningPlace): boolean {
  return isOneOf(REQUEST_PLACES, place);
}

/** Notes hits, and returns the texts that replace them, without overlap. */
export function createDecider({ json, judge, place, placeholders, repeats }: DeciderParts) {
  const ofRequest = isOfRequest(place);
  const maskOf = (rule: NamedRule['rule'], label: string, found: string): string => {
    // A placeholder would tell the model that there was something.
    if (rule.kind === 'INVISIBLE_TEXT') return '';
    return placeholders.of(label, found, ofRequest && 'restore' in rule && rule.restore);
  };
  const restored = (found: string): string | undefined => {
    const original = placeholders.textOf(plainPlaceholder(found));
    return original !== undefined && json ? escaped(original) : original;
  };
  return (hits: readonly Hit[], text: string): readonly Edit[] => {
    const edits: Edit[] = [];
    for (const { end, label, replacement: given, rule, start } of hits) {
      const found = text.slice(start, end);
      const named = rule === NO_RULE ? undefined : judge.hit(rule, place, repeats);
      if (start < (edits.at(-1)?.end ?? 0)) continue;
      const masked = named?.action === 'MASK';
      const mask = masked ? (given ?? maskOf(named, label, found)) : undefined;
      const replacement = rule === NO_RULE ? restored(found) : mask;
      if (replacement !== undefined) edits.push({ start, end, text: replacement });
    }
    return edits;
  };
}

/** As the inside of a JSON text. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
