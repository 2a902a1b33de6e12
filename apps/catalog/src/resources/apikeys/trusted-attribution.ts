import { restError, type TrustedAttribution } from '@tollgate/contracts';

import type { Call } from '../../rest/call';

/** A trusted key names end users and tags of the whole organisation, so only its administrators trust one. */
export function assertMayTrust(
  { access }: Pick<Call, 'access'>,
  wanted: TrustedAttribution | undefined,
  present: TrustedAttribution,
): void {
  if (wanted === undefined || wanted === present) return;
  if (access.reach === 'organisation' || access.reach === 'everywhere') return;
  throw restError(
    'forbidden',
    'Only an administrator of the organisation can change trustedAttribution.',
  );
}
