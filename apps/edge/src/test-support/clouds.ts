// An edge with the simulator as its upstream, in the part of the clouds.

import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Candidate, Connection } from '@tollgate/contracts/node';
import { startSimulator, type CloudCounts, type CloudSettings } from '@tollgate/simulator';

import type { Config } from '../config';
import { connection, secretOf } from './fake-catalog';
import { allow, candidate, startHarness } from './harness';

const ROBOT = 'robot@my-project.iam.gserviceaccount.com';
export const ORGANISATION = '01890000-0000-7000-8000-000000000001';
export const SUBJECT_TOKEN = 'projected-token-of-the-pod';
export const AWS_KEY = 'AKIAIOSFODNN7EXAMPLE';
export const AWS_SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
export const ENTRA_SECRET = 'entra~client.secret-0123456789';

type Setup = Omit<Connection, 'secrets'> & { baseUrl: string; secret: string; model?: string };

export async function startClouds(
  environment: (simulator: string, folder: string) => Partial<Config> = () => ({}),
) {
  const simulator = await startSimulator();
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-clouds-'));
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const harness = await startHarness({
    AMBIENT_IDENTITY_ORGANISATIONS: [ORGANISATION],
    AMBIENT_IDENTITY_HOSTS: [new URL(simulator.url).host],
    ...environment(simulator.url, folder),
  });
  const control = `${simulator.url}/_sim/clouds`;
  const put = (settings: Partial<CloudSettings>) =>
    fetch(control, { method: 'PUT', body: JSON.stringify(settings) });
  let resets = 0;
  const reset = async (): Promise<void> => {
    resets += 1;
    await harness.reset();
    await fetch(control, { method: 'DELETE' });
    await fetch(`${simulator.url}/_sim/requests`, { method: 'DELETE' });
    await put({
      googleKeys: { [ROBOT]: publicKey.export({ type: 'spki', format: 'pem' }).toString() },
      entraClients: { 'client-1': ENTRA_SECRET },
      subjectTokens: [SUBJECT_TOKEN],
      awsKeys: { [AWS_KEY]: AWS_SECRET },
      awsBearers: ['bedrock-api-key-0123456789'],
    });
  };
  await reset();
  return {
    ...harness,
    ...servingBy(harness),
    simulator,
    folder,
    put,
    reset,
    write: (name: string, text: string) => writeFileSync(join(folder, name), text),
    /** As Google writes the file of a service account; for each test another one, whose token no test has. */
    serviceAccount: (over: object = {}) =>
      JSON.stringify({
        type: 'service_account',
        project_id: 'my-project',
        private_key_id: `key-${resets}`,
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
        client_email: ROBOT,
        token_uri: `${simulator.url}/_cloud/google/token`,
        ...over,
      }),
    counts: async () => (await (await fetch(control)).json()) as CloudCounts,
    expire: () => fetch(`${control}/expire`, { method: 'POST' }),
    stop: async () => {
      await harness.stop();
      await simulator.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function servingBy({ catalog, policy }: Awaited<ReturnType<typeof startHarness>>) {
  let versions = 0;
  return {
    /** Serves the following requests through a provider that no test had before. */
    serve: ({ secret, model = 'sim', ...over }: Setup, more: Candidate = {}) => {
      versions += 1;
      const providerId = `cloud-${versions}`;
      catalog.connections.set(
        `${providerId}:1`,
        connection({
          organisationId: ORGANISATION,
          ...over,
          providerId,
          secrets: [secretOf(providerId, 'secret-1', secret)],
        }),
      );
      const { providerType = '', upstreamFormat = '' } = over;
      const chosen = { providerId, providerType, upstreamFormat, upstreamModel: model };
      const served = candidate({ ...chosen, ...more });
      policy.decide = () => allow([served]);
      return served;
    },
  };
}

export type CloudHarness = Awaited<ReturnType<typeof startClouds>>;
