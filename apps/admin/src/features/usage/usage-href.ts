import { pageOf } from '../../shell/paths';
import type { ScopeValue } from '../../shell/scope';

type Where = Pick<ScopeValue, 'organisation' | 'platform'>;

/** The usage page with filters: `{modelId, range, tab}`. */
export function usageHref(
  scope: Where,
  what: Readonly<Record<string, string | undefined>> = {},
): string {
  const path = pageOf(scope, 'usage');
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(what)) {
    if (value !== undefined) search.set(name, value);
  }
  const text = search.toString();
  if (text === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${text}`;
}
