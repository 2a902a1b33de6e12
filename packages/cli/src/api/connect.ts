import { rest } from '@tollgate/contracts';

import { createApi, type Api } from './management-api';
import { createTransport } from './transport';

/** A signed-in connection to an installation. */

export type Credentials =
  { readonly token: string } | { readonly email: string; readonly password: string };

export interface Connection {
  readonly api: Api;
  /** Ends a session that was begun here. */
  readonly close: () => Promise<void>;
}

export async function connect(url: string, credentials: Credentials): Promise<Connection> {
  let headers: Readonly<Record<string, string>> = {};
  const transport = createTransport(url, () => headers);
  const api = createApi(transport.send);
  if ('token' in credentials) {
    headers = { authorization: `Bearer ${credentials.token}` };
    return { api, close: () => Promise.resolve() };
  }
  const { accessToken } = await api.call(rest.login, { body: credentials });
  headers = { authorization: `Bearer ${accessToken}` };
  return {
    api,
    close: async () => {
      const cookie = transport.cookie();
      headers = cookie === undefined ? {} : { cookie };
      await api.call(rest.logout, {});
    },
  };
}
