// Access tokens of Microsoft Entra: by a client's secret or a federated token (RFC 7523, section 2.2), and from
// the metadata service of a machine.

import {
  clientSecretGrant,
  entraGrant,
  type EntraClientSecret,
  type TokenGrant,
} from '@tollgate/contracts/node';
import type { Dispatcher } from 'undici';

import { askIssuer } from './ask-issuer';
import { readTokenAnswer } from './bearer-token';
import type { Issued } from './renewed';

const METADATA = "Azure's metadata service";
const RESOURCE = 'https://cognitiveservices.azure.com';
const SCOPE = `${RESOURCE}/.default`;

export interface EntraDeps {
  openDispatcher: (origin: string) => Dispatcher;
}

export function clientSecretToken(
  identity: EntraClientSecret,
  deps: EntraDeps,
): Promise<Issued<string>> {
  return askToken(clientSecretGrant(identity), deps);
}

export interface EntraWorkload {
  readonly authorityHost: string;
  readonly tenantId: string;
  readonly clientId: string;
}

/** `assertion`: the text of the projected token's file. */
export function workloadToken(
  { authorityHost, tenantId, clientId }: EntraWorkload,
  assertion: string,
  deps: EntraDeps,
): Promise<Issued<string>> {
  const grant = entraGrant(authorityHost, tenantId, {
    client_id: clientId,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion.trim(),
    scope: SCOPE,
  });
  return askToken(grant, deps);
}

async function askToken(grant: TokenGrant, { openDispatcher }: EntraDeps): Promise<Issued<string>> {
  const { issuer, url } = grant;
  const text = await askIssuer({ ...grant, dispatcher: openDispatcher(url.origin) });
  return readTokenAnswer(issuer, text);
}

/** `clientId`: of a user-assigned identity; undefined: the identity of the machine. */
export async function managedIdentityToken(
  host: string,
  clientId: string | undefined,
  { openDispatcher }: EntraDeps,
): Promise<Issued<string>> {
  const url = new URL('/metadata/identity/oauth2/token', host);
  url.searchParams.set('api-version', '2018-02-01');
  url.searchParams.set('resource', RESOURCE);
  if (clientId !== undefined) url.searchParams.set('client_id', clientId);
  const text = await askIssuer({
    issuer: METADATA,
    url,
    dispatcher: openDispatcher(url.origin),
    headers: { metadata: 'true' },
  });
  return readTokenAnswer(METADATA, text);
}
