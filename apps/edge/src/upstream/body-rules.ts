// The body of a conversation, where a provider takes another one than the vendor's own service.

import type { BodyRules } from '@tollgate/contracts';

import type { JsonObject } from '../formats';

/** The header of the messages format that switches on what is in trial. */
export const BETAS = 'anthropic-beta';

const BETAS_FIELD = 'anthropic_beta';

/** `forwarded`: the client's headers that go on. The document is changed, because it was made for this call. */
export function applyBodyRules(
  document: JsonObject,
  { adds, betasInBody, leavesOut }: BodyRules,
  forwarded: Readonly<Record<string, string>>,
): void {
  for (const field of leavesOut) delete document[field];
  for (const [field, value] of Object.entries(adds)) document[field] = value;
  const betas = (betasInBody ? forwarded[BETAS] : undefined)?.split(',').map((one) => one.trim());
  const named = betas?.filter((one) => one !== '') ?? [];
  if (named.length > 0) document[BETAS_FIELD] ??= named;
}
