import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

import { provideLocale } from '../format/locale';

// The locale of each request, for everything that renders it: Next gives headers to server components
// only, and only later, but client components format on the server too.

/** A browser names a handful; a header may have thousands. */
const MOST_READ = 10;
const MOST_CHARACTERS = 200;

/**
 * The best locale of an `Accept-Language` header that this server can format for, without extensions.
 * Undefined if it names none.
 */
export function localeOf(acceptLanguage: string | undefined): string | undefined {
  const named = (acceptLanguage ?? '').slice(0, MOST_CHARACTERS).split(',').slice(0, MOST_READ);
  const ranked = named
    .map((entry) => {
      const [tag = '', quality = ''] = entry.split(';').map((part) => part.trim());
      return { tag, weight: quality.startsWith('q=') ? Number(quality.slice(2)) : 1 };
    })
    .filter(({ tag, weight }) => tag !== '*' && weight > 0)
    // The order of equals is the viewer's.
    .sort((a, b) => b.weight - a.weight);
  for (const { tag } of ranked) {
    const known = knownLocale(tag);
    if (known !== undefined) return known;
  }
  return undefined;
}

function knownLocale(tag: string): string | undefined {
  try {
    const { baseName } = new Intl.Locale(tag);
    if (Intl.NumberFormat.supportedLocalesOf(baseName).length === 0) return undefined;
    return new Intl.NumberFormat(baseName).resolvedOptions().locale;
  } catch {
    // Not a language tag.
    return undefined;
  }
}

/** Makes the locale of every request of this process known to ../format. */
export function followLocales(): () => void {
  const current = new AsyncLocalStorage<string | undefined>();
  const started = channel('http.server.request.start');
  // Node publishes this right before it calls the server's listener, which inherits the context.
  const enter = (message: unknown): void => {
    const { request } = message as { request: IncomingMessage };
    current.enterWith(localeOf(request.headers['accept-language']));
  };
  started.subscribe(enter);
  provideLocale(() => current.getStore());
  return () => {
    started.unsubscribe(enter);
    provideLocale(() => undefined);
  };
}
