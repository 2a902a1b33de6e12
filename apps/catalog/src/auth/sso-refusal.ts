import type { rest } from '@tollgate/contracts';
import type { Change } from '../audit';

/** Ends a sign-in, and undoes what its transaction has written. Caught where the browser is answered. */
export class SsoRefusal extends Error {
  override readonly name = 'SsoRefusal';

  constructor(
    readonly code: rest.SsoError,
    /** For the log: what the provider or the library said. */
    readonly reason?: string,
    /** For the trail, which is written although everything else is undone. */
    readonly trail?: Change,
  ) {
    super(code);
  }
}
