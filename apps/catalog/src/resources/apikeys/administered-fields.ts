import {
  defaultTrust,
  rest,
  restError,
  type ApiKeyType,
  type ResponseCacheMode,
  type TrustedAttribution,
} from '@tollgate/contracts';

import type { Call } from '../../rest/call';

/**
 * Fields of a key that reach beyond it. A trusted key names end users and tags of the whole organisation, answers of
 * a key that uses the response cache are kept for all keys, whether its bodies are kept is the organisation's choice, and endpoints that are called as they are act on the
 * organisation's account at the provider. So only administrators of the organisation change them.
 */
interface Administered {
  trustedAttribution: TrustedAttribution;
  responseCache: ResponseCacheMode | null;
  keepBodies: boolean;
  passthroughProviderIds: readonly string[];
}

/** Of a new key, unless an administrator says otherwise. */
export function ordinaryFields(type: ApiKeyType): Administered {
  return {
    trustedAttribution: defaultTrust(type),
    responseCache: null,
    keepBodies: true,
    passthroughProviderIds: [],
  };
}

const NAMES = [
  'trustedAttribution',
  'responseCache',
  'keepBodies',
  'passthroughProviderIds',
] as const;

export function assertMayAdminister(
  { access }: Pick<Call, 'access'>,
  wanted: { [Name in keyof Administered]?: Administered[Name] | undefined },
  present: Administered,
): void {
  if (rest.reachesOrganisation(access.reach)) return;
  for (const name of NAMES) {
    if (wanted[name] === undefined || equal(wanted[name], present[name])) continue;
    throw restError('forbidden', `Only administrators change ${name}.`);
  }
}

function equal(one: Administered[keyof Administered], other: typeof one): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
