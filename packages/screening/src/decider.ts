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
  const restored = (found: string): string | undefined => {
    const original = placeholders.textOf(plainPlaceholder(found));
    return original !== undefined && json ? escaped(original) : original;
  };
  /** One replacement for all of them, as a part of a text that is masked must not stay beside it. */
  const maskAll = ({ end, masks, start }: Span, text: string): Edit => {
    const whole = masks.find((one) => one.hit.start === start && one.hit.end === end);
    const visible = masks.filter(({ rule }) => rule.kind !== 'INVISIBLE_TEXT');
    const chosen = whole ?? visible[0] ?? masks[0];
    const restores = masks.every(({ rule }) => 'restore' in rule && rule.restore);
    const label = chosen?.hit.label ?? '';
    const placeholder = (): string =>
      // A placeholder would tell the model that there was something.
      visible.length === 0
        ? ''
        : placeholders.of(label, text.slice(start, end), ofRequest && restores);
    return { start, end, text: whole?.hit.replacement ?? placeholder() };
  };
  return (hits: readonly Hit[], text: string): readonly Edit[] => {
    const spans: Span[] = [];
    const written: Hit[] = [];
    for (const hit of hits) {
      const rule = hit.rule === NO_RULE ? undefined : judge.hit(hit.rule, place, repeats);
      if (hit.rule === NO_RULE) written.push(hit);
      if (rule?.action === 'MASK') addTo(spans, { hit, rule });
    }
    const edits = spans.map((span) => maskAll(span, text));
    let at = 0;
    for (const { end, start } of written) {
      while ((spans[at]?.end ?? Infinity) <= start) at += 1;
      if ((spans[at]?.start ?? Infinity) < end) continue;
      const original = restored(text.slice(start, end));
      if (original !== undefined) edits.push({ start, end, text: original });
    }
    return edits.toSorted((one, other) => one.start - other.start);
  };
}

interface Mask {
  readonly hit: Hit;
  readonly rule: NamedRule['rule'];
}

/** Masked texts that overlap, and all that they cover. */
interface Span {
  readonly start: number;
  end: number;
  readonly masks: Mask[];
}

/** The hits come sorted by their start. */
function addTo(spans: Span[], mask: Mask): void {
  const last = spans.at(-1);
  const { end, start } = mask.hit;
  if (!last || start >= last.end) {
    spans.push({ start, end, masks: [mask] });
    return;
  }
  last.end = Math.max(last.end, end);
  last.masks.push(mask);
}

/** As the inside of a JSON text. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
