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

/** A hit that is replaced, with those that overlap it. */
interface Replaced {
  readonly start: number;
  end: number;
  /** Sorted by their start. */
  readonly hits: Hit[];
}

/**
 * Notes hits, which are sorted by their start, and returns the texts that replace them, without overlap. Hits
 * that overlap are replaced as one, so that no part of any of them goes on.
 */
export function createDecider({ json, judge, place, placeholders, repeats }: DeciderParts) {
  const ofRequest = isOfRequest(place);
  const rules = new Map<number, NamedRule['rule']>();
  const restoredFrom = (found: string): string | undefined => {
    const original = placeholders.textOf(plainPlaceholder(found));
    return original !== undefined && json ? escaped(original) : original;
  };
  const isReplaced = ({ end, rule, start }: Hit, text: string): boolean => {
    if (rule === NO_RULE) return restoredFrom(text.slice(start, end)) !== undefined;
    const named = judge.hit(rule, place, repeats);
    if (named) rules.set(rule, named);
    return named?.action === 'MASK';
  };
  const restores = ({ rule }: Hit): boolean => {
    const known = rules.get(rule);
    return ofRequest && known !== undefined && 'restore' in known && known.restore;
  };
  // A placeholder would tell the model that there was something.
  const isInvisible = ({ rule }: Hit): boolean => rules.get(rule)?.kind === 'INVISIBLE_TEXT';

  const textFor = ({ end, hits, start }: Replaced, text: string): string => {
    const found = text.slice(start, end);
    const [first] = hits;
    if (first && hits.length === 1 && first.rule === NO_RULE) return restoredFrom(found) ?? found;
    const masks = hits.filter(({ rule }) => rule !== NO_RULE);
    const whole = masks.find((hit) => hit.start === start && hit.end === end);
    if (whole?.replacement !== undefined) return whole.replacement;
    const shown = whole && !isInvisible(whole) ? whole : masks.find((hit) => !isInvisible(hit));
    if (!shown) return '';
    const restored = shown === whole ? restores(shown) : masks.every(restores);
    return placeholders.of(shown.label, found, restored);
  };

  return (hits: readonly Hit[], text: string): readonly Edit[] => {
    const replaced: Replaced[] = [];
    for (const hit of hits) {
      if (!isReplaced(hit, text)) continue;
      const last = replaced.at(-1);
      if (last === undefined || hit.start >= last.end) {
        replaced.push({ start: hit.start, end: hit.end, hits: [hit] });
        continue;
      }
      last.end = Math.max(last.end, hit.end);
      last.hits.push(hit);
    }
    return replaced.map((one) => ({ start: one.start, end: one.end, text: textFor(one, text) }));
  };
}

/** As the inside of a JSON text. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
