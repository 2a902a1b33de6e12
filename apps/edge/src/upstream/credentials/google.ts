// Access tokens of Google Cloud: for a service account by the JWT bearer grant (RFC 7523), for federated
// workloads by token exchange (RFC 8693), and from the metadata server.

import {
  GOOGLE_SCOPE as SCOPE,
  serviceAccountGrant,
  type ServiceAccount,
  type TokenGrant,
} from '@tollgate/contracts/node';
import type { Dispatcher } from 'undici';
import { z } from 'zod';

import { jsonOf } from '../../formats/json';
import { askIssuer, noCredential } from './ask-issuer';
import { readTokenAnswer } from './bearer-token';
import type { Issued } from './renewed';

export interface GoogleDeps {
  openDispatcher: (origin: string) => Dispatcher;
  wallMs: () => number;
}

export async function serviceAccountToken(
  account: ServiceAccount,
  { openDispatcher, wallMs }: GoogleDeps,
): Promise<Issued<string>> {
  let grant: TokenGrant;
  try {
    grant = serviceAccountGrant(account, wallMs());
  } catch (error) {
    throw error instanceof RangeError ? noCredential(error.message) : error;
  }
  const { issuer, url } = grant;
  const text = await askIssuer({ ...grant, dispatcher: openDispatcher(url.origin) });
  return readTokenAnswer(issuer, text);
}

/** How a federated workload gets its token, as `gcloud iam workload-identity-pools` writes it. */
export const externalAccount = z.object({
  type: z.literal('external_account'),
  audience: z.string().min(1).max(1_000),
  subject_token_type: z.string().min(1).max(200),
  token_url: z.url({ protocol: /^https?$/ }),
  service_account_impersonation_url: z.url({ protocol: /^https?$/ }).optional(),
  credential_source: z.object({
    file: z.string().min(1),
    format: z
      .object({
        type: z.enum(['text', 'json']),
        subject_token_field_name: z.string().optional(),
      })
      .default({ type: 'text' }),
  }),
});
export type ExternalAccount = z.output<typeof externalAccount>;

const STS = "Google's security token service";
const IMPERSONATION = "Google's IAM credentials service";
const impersonated = z.object({ accessToken: z.string().min(1), expireTime: z.iso.datetime() });

/** `subjectToken`: the text of the file that the account names. */
export async function federatedToken(
  account: ExternalAccount,
  subjectFile: string,
  { openDispatcher, wallMs }: GoogleDeps,
): Promise<Issued<string>> {
  const url = new URL(account.token_url);
  const text = await askIssuer({
    issuer: STS,
    url,
    dispatcher: openDispatcher(url.origin),
    form: {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      audience: account.audience,
      scope: SCOPE,
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      subject_token_type: account.subject_token_type,
      subject_token: subjectTokenIn(account, subjectFile),
    },
  });
  const federated = readTokenAnswer(STS, text);
  const impersonation = account.service_account_impersonation_url;
  if (impersonation === undefined) return federated;
  const target = new URL(impersonation);
  const said = await askIssuer({
    issuer: IMPERSONATION,
    url: target,
    dispatcher: openDispatcher(target.origin),
    json: { scope: [SCOPE], lifetime: '3600s' },
    headers: { authorization: `Bearer ${federated.credential}` },
  });
  const read = impersonated.safeParse(jsonOf(said));
  if (!read.success) throw noCredential(`${IMPERSONATION} answered with no usable access token`);
  const lifetimeMs = Date.parse(read.data.expireTime) - wallMs();
  return { credential: read.data.accessToken, lifetimeMs };
}

function subjectTokenIn({ credential_source: source }: ExternalAccount, text: string): string {
  if (source.format.type === 'text') return text.trim();
  const field = source.format.subject_token_field_name ?? '';
  const document = z.record(z.string(), z.unknown()).safeParse(jsonOf(text));
  const token = document.success ? document.data[field] : undefined;
  if (typeof token === 'string' && token !== '') return token;
  throw noCredential(
    `the file of its external account has no text in ${field || 'its token field'}`,
  );
}

const METADATA = "Google's metadata server";

/** The service account of the machine, or of the pod's Kubernetes service account. */
export async function metadataToken(
  host: string,
  { openDispatcher }: GoogleDeps,
): Promise<Issued<string>> {
  const url = new URL(
    `http://${host}/computeMetadata/v1/instance/service-accounts/default/token?scopes=${encodeURIComponent(SCOPE)}`,
  );
  const text = await askIssuer({
    issuer: METADATA,
    url,
    dispatcher: openDispatcher(url.origin),
    headers: { 'metadata-flavor': 'Google' },
  });
  return readTokenAnswer(METADATA, text);
}
