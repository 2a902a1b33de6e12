import type { rest } from '@tollgate/contracts';

import type { Change } from '../audit';

/**
 * Aborts a sign-in and rolls its transaction back. Caught by the route, which redirects the
 * browser.
 */
export class SsoRefusal extends Error {
  override readonly name = 'SsoRefusal';

  constructor(
    readonly code: rest.SsoError,
    /** For the log: the message of the provider or the library. */
    readonly reason?: string,
    /** An audit event that is written although the transaction is rolled back. */
    readonly trail?: Change,
  ) {
    super(code);
  }
}
