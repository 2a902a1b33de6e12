// Credentials of AWS: those of a role for a web identity (STS), of a container or pod, and of an instance (IMDSv2).

import type { Dispatcher } from 'undici';
import { z } from 'zod';

import { jsonOf } from '../../formats/json';
import { askIssuer, noCredential } from './ask-issuer';
import type { Issued } from './renewed';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface AwsDeps {
  openDispatcher: (origin: string) => Dispatcher;
  wallMs: () => number;
}

const STS = 'The security token service of AWS';
const CONTAINER = 'The credentials service of the container';
const INSTANCE = 'The metadata service of the instance';

export interface WebIdentity {
  /** Of STS. */
  readonly endpoint: string;
  readonly roleArn: string;
  readonly sessionName: string;
}

/** AssumeRoleWithWebIdentity, which needs no signature. `token`: the text of the projected token's file. */
export async function webIdentityCredentials(
  { endpoint, roleArn, sessionName }: WebIdentity,
  token: string,
  { openDispatcher, wallMs }: AwsDeps,
): Promise<Issued<AwsCredentials>> {
  const url = new URL(endpoint);
  const text = await askIssuer({
    issuer: STS,
    url,
    dispatcher: openDispatcher(url.origin),
    form: {
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: roleArn,
      RoleSessionName: sessionName,
      WebIdentityToken: token.trim(),
    },
    headers: { accept: 'text/xml' },
  });
  // The values have no characters that XML escapes.
  const element = (name: string): string | undefined =>
    new RegExp(`<${name}>([^<&]{1,8192})</${name}>`).exec(text)?.[1]?.trim();
  return issued(STS, wallMs(), {
    AccessKeyId: element('AccessKeyId'),
    SecretAccessKey: element('SecretAccessKey'),
    Token: element('SessionToken'),
    Expiration: element('Expiration'),
  });
}

/** `authorization`: sent as it is; empty: none, as for tasks of ECS. */
export async function containerCredentials(
  uri: string,
  authorization: string,
  { openDispatcher, wallMs }: AwsDeps,
): Promise<Issued<AwsCredentials>> {
  const url = new URL(uri);
  const text = await askIssuer({
    issuer: CONTAINER,
    url,
    dispatcher: openDispatcher(url.origin),
    headers: authorization === '' ? {} : { authorization },
  });
  return issued(CONTAINER, wallMs(), jsonOf(text));
}

const IMDS = '/latest/meta-data/iam/security-credentials/';
const ROLE = /^[\w+=,.@-]{1,64}$/;

/** `endpoint`: of the metadata service. Its first version, without tokens, is not used. */
export async function instanceCredentials(
  endpoint: string,
  { openDispatcher, wallMs }: AwsDeps,
): Promise<Issued<AwsCredentials>> {
  const dispatcher = openDispatcher(new URL(endpoint).origin);
  const ask = (path: string, headers: Readonly<Record<string, string>>, method?: 'PUT') =>
    askIssuer({
      issuer: INSTANCE,
      url: new URL(path, endpoint),
      dispatcher,
      headers,
      ...(method && { method }),
    });
  const token = await ask(
    '/latest/api/token',
    { 'x-aws-ec2-metadata-token-ttl-seconds': '300' },
    'PUT',
  );
  const headers = { 'x-aws-ec2-metadata-token': token.trim() };
  const role = (await ask(IMDS, headers)).split('\n', 1)[0]?.trim() ?? '';
  if (!ROLE.test(role)) throw noCredential(`${INSTANCE} names no role`);
  return issued(INSTANCE, wallMs(), jsonOf(await ask(`${IMDS}${role}`, headers)));
}

const text = z
  .string()
  .min(1)
  .max(8_192)
  .regex(/^[\x21-\x7e]+$/);
const credentials = z.object({
  AccessKeyId: text,
  SecretAccessKey: text,
  Token: text,
  Expiration: z.iso.datetime(),
});

function issued(issuer: string, nowMs: number, said: unknown): Issued<AwsCredentials> {
  const read = credentials.safeParse(said);
  if (!read.success) throw noCredential(`${issuer} answered with no usable credentials`);
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = read.data;
  const lifetimeMs = Date.parse(Expiration) - nowMs;
  return {
    credential: {
      accessKeyId: AccessKeyId,
      secretAccessKey: SecretAccessKey,
      sessionToken: Token,
    },
    lifetimeMs,
  };
}
