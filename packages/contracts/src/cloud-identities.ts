// Identities at clouds, which a provider has in place of a key. An identity is a JSON document in the place of
// the key: sealed like one, and never returned. The edge exchanges it for tokens, or signs with it.
import { z } from 'zod';

import { isIdentityDocument, type Cloud } from './clouds';

const word = z
  .string()
  .min(1)
  .max(2_048)
  .regex(/^[\x21-\x7e]+$/, 'printable ASCII without spaces');
const url = z.url({ protocol: /^https?$/ }).max(500);
export const AWS_REGION = /^[a-z]{2}(?:-[a-z]+){1,3}-\d{1,2}$/;
const region = z.string().regex(AWS_REGION, 'not a region, as us-east-1');

/** The identity that the gateway's own surroundings have: only where its operator allows it. */
const ambient = { type: z.literal('ambient') };

export const serviceAccount = z.object({
  type: z.literal('service_account'),
  client_email: word,
  private_key: z
    .string()
    .max(8_000)
    .regex(/^-----BEGIN PRIVATE KEY-----[A-Za-z0-9+/=\s]+-----END PRIVATE KEY-----\s*$/, {
      error: 'not a private key in PEM (PKCS #8), as in the file of a service account',
    }),
  private_key_id: word.optional(),
  token_uri: url.default('https://oauth2.googleapis.com/token'),
});
export type ServiceAccount = z.output<typeof serviceAccount>;

const entraClientSecret = z.strictObject({
  type: z.literal('entra_client_secret'),
  tenantId: word.regex(/^[A-Za-z0-9.-]{1,100}$/, 'not a tenant'),
  clientId: word,
  clientSecret: word,
  authorityHost: url.default('https://login.microsoftonline.com'),
  scope: word.default('https://cognitiveservices.azure.com/.default'),
});
export type EntraClientSecret = z.output<typeof entraClientSecret>;

const awsAccessKey = z.strictObject({
  type: z.literal('aws_access_key'),
  accessKeyId: word.regex(/^\w{16,128}$/, 'not the id of an access key'),
  secretAccessKey: word,
  sessionToken: word.optional(),
  region: region.optional(),
});
export type AwsAccessKey = z.output<typeof awsAccessKey>;

/** A file of a service account has more fields than are needed. */
const IDENTITIES = {
  google: z.discriminatedUnion('type', [serviceAccount, z.strictObject(ambient)]),
  azure: z.discriminatedUnion('type', [entraClientSecret, z.strictObject(ambient)]),
  aws: z.discriminatedUnion('type', [
    awsAccessKey,
    z.strictObject({ ...ambient, region: region.optional() }),
  ]),
} as const;

export type CloudIdentity = z.output<(typeof IDENTITIES)[Cloud]>;

export type IdentityVerdict =
  | { readonly kind: 'key' }
  | { readonly kind: 'identity'; readonly identity: CloudIdentity }
  /** `field`: within the document; empty: the document itself. */
  | { readonly kind: 'invalid'; readonly field: string; readonly problem: string };

/** What a provider of the cloud has as its secret. */
export function readIdentity(cloud: Cloud, secret: string): IdentityVerdict {
  if (!isIdentityDocument(secret)) return { kind: 'key' };
  let document: unknown;
  try {
    document = JSON.parse(secret);
  } catch {
    return { kind: 'invalid', field: '', problem: 'begins as a JSON document, but is none' };
  }
  const read = IDENTITIES[cloud].safeParse(document);
  if (read.success) return { kind: 'identity', identity: read.data };
  const [issue] = read.error.issues;
  const field = issue?.path.join('.') ?? '';
  return { kind: 'invalid', field, problem: problemOf(cloud, field, issue?.message ?? 'invalid') };
}

function problemOf(cloud: Cloud, field: string, message: string): string {
  if (field !== 'type') return message;
  const types = IDENTITIES[cloud].options.map(({ shape }) => shape.type.value);
  return `one of ${types.join(', ')}`;
}

/** The parts of a document that must not be read in an error or a log. */
export function identitySecrets(identity: CloudIdentity): string[] {
  switch (identity.type) {
    case 'service_account':
      return [identity.private_key];
    case 'entra_client_secret':
      return [identity.clientSecret];
    case 'aws_access_key':
      return [identity.secretAccessKey, identity.sessionToken ?? ''].filter(Boolean);
    case 'ambient':
      return [];
  }
}

const VERTEX_PATH = /^\/v1(?:beta1)?\/projects\/[a-z0-9.:-]{1,100}\/locations\/([a-z0-9-]{1,40})$/;
const VERTEX_HOST = /^(?:([a-z0-9-]+)-)?aiplatform(?:\.([a-z]+)\.rep)?\.googleapis\.com$/;
const BEDROCK_HOST =
  /^(?:[a-z0-9-]+\.)?bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.(?:vpce\.)?(?:amazonaws\.com|amazonaws\.com\.cn|api\.aws)$/;
const AZURE_HOST = /^[a-z0-9-]+\.(?:openai|cognitiveservices|services\.ai)\.azure\.(?:com|us|cn)$/;

const OWN_HOSTS: Readonly<Record<Cloud, RegExp>> = {
  google: VERTEX_HOST,
  azure: AZURE_HOST,
  aws: BEDROCK_HOST,
};

/** Whether a base URL is the cloud's own service. A token of the gateway itself is sent nowhere else. */
export function isOwnService(cloud: Cloud, { hostname, port, protocol }: URL): boolean {
  return protocol === 'https:' && port === '' && OWN_HOSTS[cloud].test(hostname);
}

/** The region that requests to the host are signed for; undefined: the host does not name it. */
export function awsRegionOf({ hostname }: URL): string | undefined {
  const region = BEDROCK_HOST.exec(hostname)?.[1];
  return region !== undefined && AWS_REGION.test(region) ? region : undefined;
}

/** What is wrong with the base URL of a provider at the cloud; undefined: nothing. */
export function cloudUrlProblem(cloud: Cloud, base: URL): string | undefined {
  if (cloud !== 'google') return undefined;
  const location = VERTEX_PATH.exec(base.pathname.replace(/\/+$/, ''))?.[1];
  if (location === undefined) {
    return 'its path must name project and location: /v1/projects/my-project/locations/us-central1';
  }
  const host = VERTEX_HOST.exec(base.hostname);
  const [, regional, multi] = host ?? [];
  const named = host && (regional ?? multi ?? 'global');
  return named !== null && named !== location
    ? `its host is of the location ${named}, but its path names ${location}`
    : undefined;
}
