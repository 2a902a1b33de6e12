import type { Finder } from '../finder';

// Browsers take one slash, and backslashes, as well. Signs and letters before it end no URL.
const URL_TEXT = /https?:[/\\]+[^\s"'<>`\\()[\]{}|^]+/gi;
/** The beginning of a URL at the end of a text. */
const UNFINISHED = /h(?:t(?:t(?:p(?:s?(?::(?:[/\\]+[^\s"'<>`\\()[\]{}|^]*)?)?)?)?)?)?$/i;
/** A longer URL is one, but its end does not matter for its host. */
const MOST_CHARACTERS = 2_048;

export interface UrlRule {
  readonly rule: number;
  readonly mode: 'ALLOW' | 'DENY';
  readonly domains: readonly string[];
}

export function createUrlFinder({ domains, mode, rule }: UrlRule): Finder {
  const listed = new Set(domains);
  return {
    scan: (text, found) => {
      for (const { 0: url, index } of text.matchAll(URL_TEXT)) {
        // A sentence may end with the URL.
        const shown = url.replace(/[.,;:!?]+$/, '');
        const host = hostOf(shown);
        if (host === undefined || isListed(host, listed) === (mode === 'ALLOW')) continue;
        found.push({ start: index, end: index + shown.length, label: 'URL', rule });
      }
      const from = Math.max(0, text.length - MOST_CHARACTERS);
      const at = text.slice(from).search(UNFINISHED);
      return at < 0 ? text.length : from + at;
    },
  };
}

function hostOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  return new URL(url).hostname.replace(/\.$/, '');
}

/** A domain is listed with its subdomains. */
function isListed(host: string, domains: ReadonlySet<string>): boolean {
  for (let rest = host; rest !== '';) {
    if (domains.has(rest)) return true;
    const dot = rest.indexOf('.');
    if (dot < 0) return false;
    rest = rest.slice(dot + 1);
  }
  return false;
}
