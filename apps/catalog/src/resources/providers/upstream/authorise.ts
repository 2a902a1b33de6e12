import { isIdentityDocument, vendorByType, type rest } from '@tollgate/contracts';
import {
  awsRegionOf,
  clientSecretGrant,
  identitySecrets,
  issuerCodeIn,
  readBearerToken,
  readIdentity,
  serviceAccountGrant,
  type AwsAccessKey,
  type CloudIdentity,
  type TokenGrant,
} from '@tollgate/contracts/node';
import { AwsV4Signer } from 'aws4fetch';
import { request, type Dispatcher } from 'undici';

import { connectionFault } from '../../../outbound';
import type { Upstream } from './ask-upstream';
import { connectFailure, EDGES_IDENTITY, issuerFailure } from './failures';
import type { ListWays } from './model-lists';

/**
 * How a call to an upstream says who calls: with a key, or with an identity at a cloud, which is exchanged for a token
 * once or signs each call. The edge does the same for requests, and keeps its tokens; here each question asks anew.
 */

type Failure = rest.UpstreamFailure;

export interface Authorised {
  /** The headers of a GET of this address. */
  readonly headersFor: (
    url: URL,
    headers: Readonly<Record<string, string>>,
  ) => Promise<Record<string, string>>;
  /** What must not be repeated in a message. */
  readonly secrets: readonly string[];
}

export interface AuthoriseDeps {
  readonly dispatcher: Dispatcher;
  readonly signal: AbortSignal;
  readonly nowMs: number;
}

/** The service in the scope of signatures. */
const BEDROCK = 'bedrock';

export async function authorise(
  upstream: Upstream,
  ways: Pick<ListWays, 'authorization'>,
  deps: AuthoriseDeps,
): Promise<Authorised | { readonly failure: Failure }> {
  const { secret, type } = upstream;
  if (secret === null) return plain({}, []);
  const { cloud } = vendorByType(type);
  if (cloud === null || !isIdentityDocument(secret)) {
    const [name, value] = ways.authorization(secret);
    return plain({ [name]: value }, [secret]);
  }
  const read = readIdentity(cloud, secret);
  if (read.kind !== 'identity') return { failure: issuerFailure('The identity is not valid.') };
  const { identity } = read;
  if (identity.type === 'ambient') return { failure: EDGES_IDENTITY };
  if (identity.type === 'aws_access_key') return signing(upstream, identity, deps.nowMs);
  const token = await tokenFor(identity, deps);
  if ('failure' in token) return token;
  const { token: bearer } = token;
  return plain({ authorization: `Bearer ${bearer}` }, [bearer, ...identitySecrets(identity)]);
}

function plain(own: Record<string, string>, secrets: readonly string[]): Authorised {
  return { headersFor: (_url, headers) => Promise.resolve({ ...headers, ...own }), secrets };
}

function signing(
  { baseUrl }: Upstream,
  identity: AwsAccessKey,
  nowMs: number,
): Authorised | { readonly failure: Failure } {
  const { accessKeyId, secretAccessKey, sessionToken } = identity;
  const region = awsRegionOf(new URL(baseUrl)) ?? identity.region;
  if (region === undefined) {
    const message = 'Neither baseUrl nor the identity names a region. Add region to the identity.';
    return { failure: issuerFailure(message) };
  }
  const headersFor: Authorised['headersFor'] = async (url, headers) => {
    const signer = new AwsV4Signer({
      method: 'GET',
      url: url.href,
      headers: { ...headers },
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
      service: BEDROCK,
      region,
      datetime: new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    });
    const signed = await signer.sign();
    return Object.fromEntries(signed.headers.entries());
  };
  return { headersFor, secrets: identitySecrets(identity) };
}

async function tokenFor(
  identity: Exclude<CloudIdentity, { type: 'ambient' | 'aws_access_key' }>,
  deps: AuthoriseDeps,
): Promise<{ readonly token: string } | { readonly failure: Failure }> {
  let grant: TokenGrant;
  try {
    grant =
      identity.type === 'service_account'
        ? serviceAccountGrant(identity, deps.nowMs)
        : clientSecretGrant(identity);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { failure: issuerFailure(`The identity cannot be used: ${error.message}.`) };
  }
  return exchange(grant, deps);
}

async function exchange(
  { form, issuer, url }: TokenGrant,
  { dispatcher, signal }: AuthoriseDeps,
): Promise<{ readonly token: string } | { readonly failure: Failure }> {
  try {
    const response = await request(url, {
      dispatcher,
      method: 'POST',
      headers: {
        'user-agent': 'tollgate',
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams(form).toString(),
      signal,
    });
    const text = await response.body.text();
    const { statusCode: status } = response;
    if (status !== 200) {
      const said = issuerCodeIn(text);
      const words = said === undefined ? `status ${status}` : `status ${status} (${said})`;
      const code = status === 429 ? 'rate_limited' : status >= 500 ? 'upstream_failed' : undefined;
      const advice = code === undefined ? 'Check the identity.' : 'Try again in a moment.';
      const message = `No token: ${issuer} answered with ${words}. ${advice}`;
      return { failure: issuerFailure(message, status, code) };
    }
    const read = readBearerToken(text);
    return read ?? { failure: issuerFailure(`No token: ${issuer} gave no usable one.`, status) };
  } catch (error) {
    const { rule } = connectionFault(error);
    const { code } = connectFailure(error);
    const why = rule === '' ? '' : ` Here ${rule}.`;
    const message =
      code === 'address_refused'
        ? `No token: the gateway may not connect to the address of ${issuer}.${why}`
        : `No token: ${issuer} could not be reached.`;
    return { failure: issuerFailure(message, null, code) };
  }
}
