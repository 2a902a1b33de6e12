import axios, { type AxiosResponse } from 'axios';

import { startGateway, type Gateway } from '.';

// Failed sign-ins are counted by the address that the console itself determined.

let gateway: Gateway;
let stop: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  gateway = await startGateway({ admin: true, edges: 0, policies: 0, simulator: false });
  stop = gateway.stop;
});
afterAll(() => stop());

function signIn(
  forwarded: string,
  password: string,
  server: string = gateway.adminUrl,
): Promise<AxiosResponse> {
  return axios.post(
    `${server}/api/auth/login`,
    { email: gateway.superAdmin.email, password },
    {
      headers: { origin: server, 'x-forwarded-for': forwarded },
      validateStatus: () => true,
    },
  );
}

/** The client address of the newest session, as catalog recorded it. */
async function newestFrom(): Promise<string | null> {
  const { data } = await gateway.rest.get('/api/auth/sessions');
  const [newest] = (data as { data: { remoteAddress: string | null }[] }).data;
  return newest?.remoteAddress ?? null;
}

test('an address that the browser claims is ignored', async () => {
  const right = gateway.superAdmin.password;
  expect((await signIn('6.6.6.6', right)).status).toBe(204);
  expect(await newestFrom()).toBe('127.0.0.1');
});

test('a different claimed address for every attempt does not evade the throttle', async () => {
  const statuses: number[] = [];
  for (let guess = 0; guess < 12; guess += 1) {
    const answer = await signIn(`6.6.6.${String(guess)}`, 'a wrong password');
    statuses.push(answer.status);
  }
  expect(statuses.filter((status) => status === 401)).toHaveLength(10);
  expect(statuses.slice(-2)).toEqual([429, 429]);
});

test('nor does it at the catalog itself, from the same machine', async () => {
  const statuses: number[] = [];
  for (let guess = 0; guess < 12; guess += 1) {
    const answer = await signIn(`6.6.7.${String(guess)}`, 'a wrong password', gateway.catalogUrl);
    statuses.push(answer.status);
  }
  expect(statuses).not.toContain(401);
});
