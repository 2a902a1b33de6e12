// Opens what a provider has as its secret: a key, which is sent as it is, or an identity.

import { createHash } from 'node:crypto';
import { gatewayError, type Cloud } from '@tollgate/contracts';
import {
  awsRegionOf,
  identitySecrets,
  isOwnService,
  readIdentity,
  type AwsAccessKey,
  type CloudIdentity,
} from '@tollgate/contracts/node';

import type { Agents } from '../agents';
import type { UpstreamCall } from '../call';
import { ambientAwsCredentials, ambientFile, ambientToken, type AmbientSettings } from './ambient';
import type { AwsCredentials } from './aws-credentials';
import { clientSecretToken } from './entra';
import { serviceAccountToken } from './google';
import type { Issued } from './renewed';
import { createSharedCredentials, type OpenDispatcher, type SharedCredential } from './shared';
import { signedForAws } from './sign-aws';

/** Replaces the key of a provider. */
export interface Identity {
  /**
   * The call with its credential; a promise while one is fetched, and for signatures. Rejects with an
   * UpstreamFailure.
   */
  authorise: (call: UpstreamCall) => UpstreamCall | Promise<UpstreamCall>;
  /**
   * Notes the status of a call that began at this instant. True: it is worth another call, with a new credential. A
   * promise while that is fetched.
   */
  refused: (status: number, beganMs: number) => boolean | Promise<boolean>;
  /** What must not be read in an error or a log; the array is another one after each change. */
  secrets: () => readonly string[];
  release: () => void;
}

export interface IdentityOwner {
  readonly organisationId: string;
  readonly cloud: Cloud;
  readonly baseUrl: URL;
}

export interface Identities {
  /** Undefined: the secret is a plain key. @throws GatewayError `provider_misconfigured` */
  open: (owner: IdentityOwner, secret: string) => Identity | undefined;
}

export interface IdentitiesDeps {
  /** Connects to issuers that an organisation names. */
  agents: Agents;
  /** Connects to what the environment names: metadata services are at addresses that tenants cannot reach. */
  ambientAgents: Agents;
  ambient: AmbientSettings;
  /** Monotonic milliseconds. */
  nowMs: () => number;
  wallMs: () => number;
}

/** The service in the scope of signatures. */
const BEDROCK = 'bedrock';

export function createIdentities(deps: IdentitiesDeps): Identities {
  const { ambient, nowMs, wallMs } = deps;
  const shareToken = createSharedCredentials<string>(nowMs);
  const shareAws = createSharedCredentials<AwsCredentials>(nowMs);
  const agentsFor = ({ type }: CloudIdentity): Agents =>
    type === 'ambient' ? deps.ambientAgents : deps.agents;
  const fileOf = ({ type }: CloudIdentity, cloud: Cloud): string | undefined =>
    type === 'ambient' ? ambientFile(ambient, cloud) : undefined;

  const bearer = (cloud: 'google' | 'azure', identity: CloudIdentity, key: string): Identity => {
    const shared = shareToken({
      key,
      agents: agentsFor(identity),
      file: fileOf(identity, cloud),
      request: (openDispatcher) => tokenFor(cloud, identity, openDispatcher),
    });
    return bearerIdentity(identity, shared);
  };

  const tokenFor = (
    cloud: 'google' | 'azure',
    identity: CloudIdentity,
    openDispatcher: OpenDispatcher,
  ): Promise<Issued<string>> => {
    const issuing = { openDispatcher, wallMs };
    if (identity.type === 'service_account') return serviceAccountToken(identity, issuing);
    if (identity.type === 'entra_client_secret') return clientSecretToken(identity, issuing);
    return ambientToken(cloud, ambient, issuing);
  };

  const aws = ({ baseUrl }: IdentityOwner, identity: CloudIdentity, key: string): Identity => {
    const region = awsRegionOf(baseUrl) ?? ('region' in identity ? identity.region : undefined);
    if (region === undefined) {
      throw misconfigured('Neither the base URL of the provider nor its identity names a region.');
    }
    const scope = { region, service: BEDROCK };
    const sign: Sign = (call, credentials) => signedForAws(call, credentials, scope, wallMs());
    if (identity.type === 'aws_access_key') return accessKeyIdentity(identity, sign);
    const shared = shareAws({
      key: `${region} ${key}`,
      agents: agentsFor(identity),
      file: fileOf(identity, 'aws'),
      request: (openDispatcher) =>
        ambientAwsCredentials(ambient.aws, region, { openDispatcher, wallMs }),
    });
    return temporaryKeyIdentity(shared, sign);
  };

  const open: Identities['open'] = (owner, secret) => {
    const { cloud } = owner;
    const read = readIdentity(cloud, secret);
    if (read.kind === 'key') return undefined;
    if (read.kind === 'invalid') {
      const where = read.field === '' ? 'The identity' : `${read.field} of the identity`;
      throw misconfigured(`${where} of the provider is not valid: ${read.problem}.`);
    }
    const { identity } = read;
    if (identity.type === 'ambient') checkAmbient(ambient, owner);
    const key = createHash('sha256').update(`${cloud} ${secret}`).digest('base64');
    return cloud === 'aws' ? aws(owner, identity, key) : bearer(cloud, identity, key);
  };

  return { open };
}

const BEARER = 'Bearer ';

function bearerIdentity(
  identity: CloudIdentity,
  { release, renewed }: SharedCredential<string>,
): Identity {
  const carrying = (call: UpstreamCall, token: string): UpstreamCall => ({
    ...call,
    headers: { ...call.headers, authorization: `${BEARER}${token}` },
  });
  return {
    authorise: (call) => {
      const token = renewed.get();
      return typeof token === 'string'
        ? carrying(call, token)
        : token.then((fetched) => carrying(call, fetched));
    },
    refused: (status, beganMs) => status === 401 && renewed.refused(beganMs),
    secrets: remembered(renewed.known, (known) => [...identitySecrets(identity), ...known]),
    release,
  };
}

type Sign = (call: UpstreamCall, credentials: AwsCredentials) => Promise<UpstreamCall>;

function accessKeyIdentity(identity: AwsAccessKey, sign: Sign): Identity {
  const secrets = identitySecrets(identity);
  return {
    authorise: (call) => sign(call, identity),
    refused: () => false,
    secrets: () => secrets,
    release: () => undefined,
  };
}

function temporaryKeyIdentity(
  { release, renewed }: SharedCredential<AwsCredentials>,
  sign: Sign,
): Identity {
  return {
    authorise: async (call) => sign(call, await renewed.get()),
    // An expired credential is 403, as a role without the permission is.
    refused: (status, beganMs) => status === 403 && renewed.refused(beganMs),
    secrets: remembered(renewed.known, (known) =>
      known.flatMap(({ secretAccessKey, sessionToken = '' }) => [secretAccessKey, sessionToken]),
    ),
    release,
  };
}

/** Computed anew only when what is known has changed. */
function remembered<T>(
  known: () => readonly T[],
  secretsOf: (known: readonly T[]) => string[],
): () => readonly string[] {
  let seen: readonly T[] = [];
  let secrets = secretsOf(seen);
  return () => {
    const now = known();
    if (now.length !== seen.length || now.some((one, at) => one !== seen[at])) {
      seen = now;
      secrets = secretsOf(now).filter(Boolean);
    }
    return secrets;
  };
}

// The identity of the surroundings is the operator's: only organisations that the operator names may use it,
// and only for the cloud's own hosts, because a token that is sent elsewhere could be kept there.
function checkAmbient({ hosts, organisations }: AmbientSettings, owner: IdentityOwner): void {
  const { baseUrl, cloud, organisationId } = owner;
  if (organisationId === '' || !organisations.includes(organisationId)) {
    throw misconfigured("The organisation may not use the gateway's own identity.");
  }
  if (!isOwnService(cloud, baseUrl) && !hosts.includes(baseUrl.host)) {
    throw misconfigured("The gateway's own identity is not used for the host of the base URL.");
  }
}

/** The client reads only that the provider is misconfigured; the log has the cause. */
function misconfigured(text: string) {
  return gatewayError('provider_misconfigured', undefined, { cause: new Error(text) });
}
