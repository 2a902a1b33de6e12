/** The management API, as the first super admin. */
export interface Rest {
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
    create: async (path, body) => {
      const answer = await post(path, body, accessToken);
      if (answer.status !== 201) {
        throw new Error(`POST ${path}: ${String(answer.status)} ${await answer.text()}`);
      }
      return (await answer.json()) as { id: string };
    },
  };
}
