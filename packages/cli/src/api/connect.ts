import { rest, type SendRest } from '@tollgate/contracts';

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
  const anonymous = createApi(transport.send);
  if ('token' in credentials) {
    headers = { authorization: `Bearer ${credentials.token}` };
    return { api: anonymous, close: () => Promise.resolve() };
  }
  const endSession = async (): Promise<void> => {
    const cookie = transport.cookie();
    headers = cookie === undefined ? {} : { cookie };
    await anonymous.call(rest.logout, {});
  };
  const signIn = async (): Promise<void> => {
    headers = {};
    const { accessToken } = await anonymous.call(rest.login, { body: credentials });
    headers = { authorization: `Bearer ${accessToken}` };
  };
  await signIn();
  // A token lives for minutes, and a large apply takes longer. A call that is refused did nothing.
  const send: SendRest = async (request) => {
    const answer = await transport.send(request);
    if (answer.status !== 401) return answer;
    await endSession();
    await signIn();
    return transport.send(request);
  };
  return { api: createApi(send), close: endSession };
}
