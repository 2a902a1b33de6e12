import { createPrivateKey } from 'node:crypto';
import { rest, vendorByType, type RestError } from '@tollgate/contracts';
import {
  awsRegionOf,
  checkBaseUrl,
  cloudUrlProblem,
  isOwnService,
  readIdentity,
  type AddressRules,
  type CloudIdentity,
} from '@tollgate/contracts/node';

import { invalid } from '../../rest/field-errors';

/** Which organisations may use the identity of the gateway itself, and for which hosts beside the clouds' own. */
export interface AmbientRules {
  readonly organisations: readonly string[];
  readonly hosts: readonly string[];
}

export interface CheckedProvider {
  readonly organisationId: string;
  readonly type: rest.Provider['type'];
  readonly baseUrl: string;
}

export interface SecretRules {
  readonly addressRules: AddressRules;
  readonly ambient: AmbientRules;
}

/** The base URL of a provider at a cloud. */
export function checkCloudUrl({ type, baseUrl }: Pick<CheckedProvider, 'type' | 'baseUrl'>): void {
  const { cloud } = vendorByType(type);
  const problem = cloud === null ? undefined : cloudUrlProblem(cloud, new URL(baseUrl));
  if (problem !== undefined) throw invalid('baseUrl', problem);
}

/**
 * A key, or an identity at the provider's cloud. The field is that of the request; errors add the field of the
 * document, never its value.
 */
export function checkSecret(
  provider: CheckedProvider,
  secret: string,
  rules: SecretRules,
  field = 'apiKey',
): void {
  const { cloud, title } = vendorByType(provider.type);
  if (cloud === null) {
    if (rest.PLAIN_KEY.test(secret)) return;
    throw invalid(field, `providers of type ${title} take a key, not a JSON document`);
  }
  const read = readIdentity(cloud, secret);
  if (read.kind === 'key') return;
  if (read.kind === 'invalid') throw refused(field, read.field, read.problem);
  checkParts(provider, read.identity, rules, field);
}

function checkParts(
  { baseUrl, organisationId, type }: CheckedProvider,
  identity: CloudIdentity,
  { addressRules, ambient }: SecretRules,
  field: string,
): void {
  const { cloud } = vendorByType(type);
  const base = new URL(baseUrl);
  const issuer = issuerOf(identity);
  if (issuer) {
    const verdict = checkBaseUrl(issuer.url, addressRules);
    if (!verdict.ok) throw refused(field, issuer.field, verdict.reason);
  }
  if (identity.type === 'service_account' && !isRsaKey(identity.private_key)) {
    throw refused(field, 'private_key', 'not an RSA private key in PEM');
  }
  if (cloud === 'aws' && awsRegionOf(base) === undefined && !('region' in identity)) {
    throw refused(field, 'region', 'required, because baseUrl does not name a region');
  }
  if (identity.type !== 'ambient' || cloud === null) return;
  if (!ambient.organisations.includes(organisationId)) {
    const text =
      "the organisation may not use the gateway's own identity; the operator allows it in AMBIENT_IDENTITY_ORGANISATIONS";
    throw refused(field, 'type', text);
  }
  if (!isOwnService(cloud, base) && !ambient.hosts.includes(base.host)) {
    const text =
      "the gateway's own identity is used for the cloud's own hosts only; the operator allows others in AMBIENT_IDENTITY_HOSTS";
    throw invalid('baseUrl', text);
  }
}

/** Whom the identity is sent to, so that it must be an address that providers may have. */
function issuerOf(identity: CloudIdentity): { field: string; url: string } | undefined {
  switch (identity.type) {
    case 'service_account':
      return { field: 'token_uri', url: identity.token_uri };
    case 'entra_client_secret':
      return { field: 'authorityHost', url: identity.authorityHost };
    default:
      return undefined;
  }
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

/** The path is exact; the words name the part too, for forms that show them below the whole field. */
function refused(field: string, part: string, problem: string): RestError {
  return part === '' ? invalid(field, problem) : invalid(`${field}.${part}`, `${part}: ${problem}`);
}
