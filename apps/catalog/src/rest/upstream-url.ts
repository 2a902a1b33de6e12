import { checkBaseUrl, type AddressRules } from '@tollgate/contracts/node';

import { invalid } from './field-errors';

/** Refuses a URL that the gateway must not call, naming the field. */
export function assertUrl(field: string, url: string, rules: AddressRules): void {
  const verdict = checkBaseUrl(url, rules);
  if (!verdict.ok) throw invalid(field, verdict.reason.replace('base URL', 'URL'));
}

export function originOf(url: string | null | undefined): string | undefined {
  return url === null || url === undefined ? undefined : new URL(url).origin;
}
