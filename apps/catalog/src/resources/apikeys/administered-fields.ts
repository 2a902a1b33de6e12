import {
  defaultTrust,
  restError,
  type ApiKeyType,
  type ResponseCacheMode,
  type TrustedAttribution,
} from '@tollgate/contracts';

import type { Call } from '../../rest/call';

/**
 * Fields of a key that reach beyond it. A trusted key names end users and tags of the whole organisation, and answers
 * of a key that uses the response cache are kept for all keys. So only administrators of the organisation change them.
 */
interface Administered {
  trustedAttribution: TrustedAttribution;
  responseCache: ResponseCacheMode | null;
}

/** Of a new key, unless an administrator says otherwise. */
export function ordinaryFields(type: ApiKeyType): Administered {
  return { trustedAttribution: defaultTrust(type), responseCache: null };
}

export function assertMayAdminister(
  { access }: Pick<Call, 'access'>,
  wanted: { [Name in keyof Administered]?: Administered[Name] | undefined },
  present: Administered,
): void {
  if (access.reach === 'organisation' || access.reach === 'everywhere') return;
  for (const name of ['trustedAttribution', 'responseCache'] as const) {
    if (wanted[name] === undefined || wanted[name] === present[name]) continue;
    throw restError('forbidden', `Only administrators change ${name}.`);
  }
}
