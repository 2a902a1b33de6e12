import { rest } from '@tollgate/contracts';

import { runtime } from './runtime';
import { pageClient } from './viewer';

/** The sign-in methods; undefined while the catalog is not reachable. */
export async function signInMethods(): Promise<rest.SignInMethods | undefined> {
  try {
    return await pageClient(undefined).call(rest.getSignInMethods, {});
  } catch (error) {
    runtime().log.error('the ways of signing in could not be read', { error });
    return undefined;
  }
}
