import { keepLatest, withoutMarks } from './locale';

// By the viewer's locale, in Western digits: texts around them are English.

type Form = Intl.NumberFormatOptions;

const FORMS = {
  whole: { maximumFractionDigits: 0 },
  plain: { maximumFractionDigits: 3 },
  short: { maximumFractionDigits: 1 },
  part: { style: 'percent', maximumFractionDigits: 1 },
  seconds: { minimumFractionDigits: 2, maximumFractionDigits: 2 },
} as const satisfies Record<string, Form>;

const formatter = keepLatest(
  (locale, name) =>
    new Intl.NumberFormat(locale, {
      ...FORMS[name as keyof typeof FORMS],
      numberingSystem: 'latn',
    }),
);
const shown = (value: number, form: keyof typeof FORMS): string =>
  trueMinus(formatter(form).format(value));

/** Locales differ in the sign for negative numbers, and in its place; columns of figures have one. */
export function trueMinus(text: string): string {
  return withoutMarks(text).replace('-', '−');
}

export function showCount(count: number): string {
  return shown(count, 'whole');
}

/** With the decimal places that the number has, at most three. */
export function showNumber(value: number): string {
  return shown(value, 'plain');
}

const english = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** A short number, where precision does not matter: "1.2M", in German "1,2M". */
export function showShort(count: number): string {
  // Other languages have words for the powers of a thousand.
  const parts = english.formatToParts(count);
  const textOf = (...types: readonly Intl.NumberFormatPartTypes[]): string =>
    parts.flatMap(({ type, value }) => (types.includes(type) ? [value] : [])).join('');
  const size = Number(textOf('minusSign', 'integer', 'decimal', 'fraction'));
  return `${shown(size, 'short')}${textOf('compact')}`;
}

/** "12.5%"; of more than nothing never "0%". */
export function showPart(ratio: number): string {
  return ratio > 0 && ratio < 0.0005 ? `<${shown(0.001, 'part')}` : shown(ratio, 'part');
}

/** "840 ms", "1.24 s", "2 min 5 s". */
export function showDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${shown(ms / 1_000, 'seconds')} s`;
  const seconds = Math.round(ms / 1_000);
  return `${showCount(Math.floor(seconds / 60))} min ${seconds % 60} s`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${showCount(count)} ${count === 1 ? one : many}`;
}
