// The viewer's locale, for the form of numbers, money and dates; the words of the console are
// English. The server takes it from `Accept-Language` (../server/locales.ts) and writes it into the
// page, where the browser reads it: both show the same text, so hydration finds what it expects.

/** What is shown to a viewer whose browser names no locale. */
const DEFAULT = 'en-US';

// Next bundles server components and client components separately; both find it in the global.
const PLACE = Symbol.for('tollgate.admin.locale');
const shelf = globalThis as typeof globalThis & { [PLACE]?: () => string | undefined };

/** Gives the server the locale of the request that is being answered. */
export function provideLocale(ofRequest: () => string | undefined): void {
  shelf[PLACE] = ofRequest;
}

let ofPage: string | undefined;

export function viewerLocale(): string {
  if (typeof document === 'undefined') return shelf[PLACE]?.() ?? DEFAULT;
  return (ofPage ??= document.documentElement.dataset['locale'] ?? DEFAULT);
}

/** Marks of direction, which some locales put around figures, would turn the English around them. */
export function withoutMarks(text: string): string {
  return text.replaceAll(/[\u200e\u200f\u061c]/g, '');
}

/** More formatters than a busy server uses; each locale, zone and form has one. */
const MOST_KEPT = 500;

/** Formatters are costly to create and viewers name their locale, so the last used ones are kept. */
export function keepLatest<T>(create: (locale: string, name: string) => T) {
  const kept = new Map<string, T>();
  return (name: string): T => {
    const locale = viewerLocale();
    const key = `${locale} ${name}`;
    const used = kept.get(key) ?? create(locale, name);
    kept.delete(key);
    kept.set(key, used);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    return used;
  };
}
