import { rest } from '@tollgate/contracts';

import type { RestClient } from '../../api/rest-client';

/** The console's server keeps the tokens and responds without a body. */
const SIGN_IN = { ...rest.login, response: rest.nothing, status: 204 } as const;

export function signIn(client: RestClient, email: string, password: string): Promise<void> {
  return client.call(SIGN_IN, { body: { email, password } });
}
