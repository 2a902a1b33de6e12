import { rest } from '@tollgate/contracts';

import { runtime } from './runtime';
import { serverClient } from './server-client';

/** The sign-in methods; undefined while the catalog is not reachable. */
export async function signInMethods(): Promise<rest.SignInMethods | undefined> {
  const { send, log } = runtime();
  try {
    return await serverClient(send, undefined).call(rest.getSignInMethods, {});
  } catch (error) {
    log.error('the ways of signing in could not be read', { error });
    return undefined;
  }
}
