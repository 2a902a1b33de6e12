// The identity of the gateway's surroundings, wherever the environment says that it comes from.

import { ORGANISATION, startClouds, SUBJECT_TOKEN } from '../../test-support/clouds';
import { chat } from '../../test-support/harness';

const LOCATION = '/v1/projects/my-project/locations/us-central1';
const VERTEX = { providerType: 'PROVIDER_G', upstreamFormat: 'gemini', path: LOCATION };
const BEDROCK = { providerType: 'PROVIDER_H', upstreamFormat: 'anthropic', path: '' };

/** As gcloud writes it for a pool of workload identities. */
const externalAccount = (simulator: string, folder: string, over: object = {}) =>
  JSON.stringify({
    type: 'external_account',
    audience:
      '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/k',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `${simulator}/_cloud/google/token`,
    credential_source: { file: `${folder}/subject` },
    ...over,
  });

test.each([
  [
    'the metadata server of Google',
    VERTEX,
    (simulator: string) => ({ GCE_METADATA_HOST: new URL(simulator).host }),
    () => '',
    ['google-metadata'],
  ],
  [
    "Google's federation of workloads",
    VERTEX,
    (_: string, folder: string) => ({ GOOGLE_APPLICATION_CREDENTIALS: `${folder}/file` }),
    externalAccount,
    ['google'],
  ],
  [
    "Google's federation of workloads, for a service account",
    VERTEX,
    (_: string, folder: string) => ({ GOOGLE_APPLICATION_CREDENTIALS: `${folder}/file` }),
    (simulator: string, folder: string) =>
      externalAccount(simulator, folder, {
        service_account_impersonation_url: `${simulator}/_cloud/google/v1/projects/-/serviceAccounts/robot:generateAccessToken`,
      }),
    ['google', 'google-iam'],
  ],
  [
    'the credentials of a container of AWS',
    BEDROCK,
    (simulator: string, folder: string) => ({
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${simulator}/_cloud/container`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: `${folder}/subject`,
    }),
    () => '',
    ['aws-container'],
  ],
  [
    'the role of an instance of AWS',
    BEDROCK,
    (simulator: string) => ({ AWS_EC2_METADATA_SERVICE_ENDPOINT: simulator }),
    () => '',
    ['imds', 'imds-role', 'imds-token'],
  ],
] as const)('%s', async (_, { path, ...provider }, environment, file, issuers) => {
  const h = await startClouds(environment);
  try {
    h.write('subject', SUBJECT_TOKEN);
    h.write('file', file(h.simulator.url, h.folder));
    const secret = JSON.stringify({
      type: 'ambient',
      ...(provider.providerType === 'PROVIDER_H' && { region: 'us-east-1' }),
    });
    h.serve({ ...provider, baseUrl: h.simulator.url + path, secret });
    expect((await h.post('/v1/chat/completions', chat())).status).toBe(200);
    expect((await h.post('/v1/chat/completions', chat())).status).toBe(200);
    const { accepted, issued, refused } = await h.counts();
    expect(accepted).toBe(2);
    expect(issued).toEqual(Object.fromEntries(issuers.map((name) => [name, 1])));
    expect(refused).toEqual({});
  } finally {
    await h.stop();
  }
});

test('a file that cannot be read is told to the operator by the name of its setting', async () => {
  const h = await startClouds((_, folder) => ({
    GOOGLE_APPLICATION_CREDENTIALS: `${folder}/missing`,
  }));
  try {
    const { path, ...provider } = VERTEX;
    const baseUrl = h.simulator.url + path;
    h.serve({ ...provider, baseUrl, secret: '{"type":"ambient"}', organisationId: ORGANISATION });
    expect((await h.post('/v1/chat/completions', chat())).status).toBe(502);
    expect((await h.settled()).attempts).toMatchObject([
      {
        message: expect.stringContaining(
          'the file of GOOGLE_APPLICATION_CREDENTIALS cannot be read',
        ) as string,
      },
    ]);
  } finally {
    await h.stop();
  }
});
