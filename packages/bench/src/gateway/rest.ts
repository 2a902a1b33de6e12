/** The management API, as the first super admin. */
export interface Rest {
  /**
   * Reads an answer to its end or until the signal; returns the number of bytes. Throws unless it
   * is 200.
   */
  readonly drain: (path: string, signal: AbortSignal) => Promise<number>;
  /** POST; throws with the answer unless it is 201. */
  readonly create: (
    path: string,
    body: object,
  ) => Promise<{ id: string } & Record<string, unknown>>;
}

export async function createRest(base: string, email: string, password: string): Promise<Rest> {
  const post = async (path: string, body: object, token?: string): Promise<Response> =>
    fetch(`${base}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
  const signIn = await post('/api/auth/login', { email, password });
  if (!signIn.ok) throw new Error(`sign-in: ${String(signIn.status)} ${await signIn.text()}`);
  const { accessToken } = (await signIn.json()) as { accessToken: string };
  return {
    drain: async (path, signal) => {
      const headers = { authorization: `Bearer ${accessToken}` };
      const answer = await fetch(`${base}${path}`, { headers });
      if (answer.status !== 200 || answer.body === null) {
        throw new Error(`GET ${path}: ${String(answer.status)} ${await answer.text()}`);
      }
      let bytes = 0;
      for await (const part of answer.body) {
        bytes += (part as Uint8Array).length;
        if (signal.aborted) break;
      }
      return bytes;
    },
    create: async (path, body) => {
      const answer = await post(path, body, accessToken);
      if (answer.status !== 201) {
        throw new Error(`POST ${path}: ${String(answer.status)} ${await answer.text()}`);
      }
      return (await answer.json()) as { id: string };
    },
  };
}
