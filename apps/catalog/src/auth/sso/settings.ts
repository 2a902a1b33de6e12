import { rest } from '@tollgate/contracts';
import { envVar, isLoopback, type ConfigOf } from '@tollgate/kit';
import { z } from 'zod';

/** The settings of single sign-on: one identity provider for the whole installation. */

const ORGANISATION_ROLES = [...rest.ORGANISATION_ROLES];

export const ssoShape = {
  OIDC_ISSUER: envVar.url({
    protocols: ['https', 'http'],
    optional: true,
    description:
      'Issuer of the OpenID Connect provider for single sign-on. Must be https, except on loopback. Unset: passwords only.',
  }),
  OIDC_CLIENT_ID: envVar.string({
    optional: true,
    description:
      'Client id at OIDC_ISSUER. The redirect URI to register there is PUBLIC_CONSOLE_URL/api/auth/oidc/callback.',
  }),
  OIDC_CLIENT_SECRET: envVar.secret({
    optional: true,
    description: 'Client secret at OIDC_ISSUER; unset for a public client.',
  }),
  OIDC_CLIENT_AUTH: envVar.choice({
    choices: ['client_secret_basic', 'client_secret_post'],
    default: 'client_secret_basic',
    description: 'How OIDC_CLIENT_SECRET is sent to the token endpoint.',
  }),
  OIDC_NAME: envVar.string({
    default: 'single sign-on',
    description: 'Name of the provider on the button of the sign-in page.',
  }),
  OIDC_SCOPES: envVar.list({
    default: ['openid', 'email', 'profile'],
    description: 'Scopes to request.',
  }),
  OIDC_ALLOWED_DOMAINS: envVar.list({
    default: [],
    description: 'Domains of email addresses that may use single sign-on; none: all.',
  }),
  OIDC_EMAIL_CLAIM: envVar.string({
    default: 'email',
    description: 'Claim with the email address. A claim may be a path, as in a.b.',
  }),
  OIDC_EMAIL_VERIFIED_CLAIM: envVar.string({
    default: 'email_verified',
    description:
      'Claim that says whether the provider has verified the address. An account is linked only if it has.',
  }),
  OIDC_NAME_CLAIM: envVar.string({ default: 'name', description: 'Claim with the full name.' }),
  OIDC_ROLE_CLAIM: envVar.string({
    optional: true,
    description: 'Claim that sets the role at each sign-in. Unset: roles are managed in Tollgate.',
  }),
  OIDC_ROLE_MAPPING: envVar.string({
    default: '{}',
    check: (text) => void parseMapping(text, z.enum(ORGANISATION_ROLES)),
    description:
      'JSON object from values of OIDC_ROLE_CLAIM to ORG_ADMIN, MANAGER or USER; the highest role counts.',
  }),
  OIDC_DEFAULT_ROLE: envVar.choice({
    choices: ORGANISATION_ROLES,
    optional: true,
    description:
      'Role of users for whom the mapping gives none. Unset: with OIDC_ROLE_CLAIM they are refused, without it they are USER.',
  }),
  OIDC_ORGANISATION_CLAIM: envVar.string({
    optional: true,
    description: 'Claim that names the organisations a user may join.',
  }),
  OIDC_ORGANISATION_MAPPING: envVar.string({
    default: '{}',
    check: (text) => void parseMapping(text, z.string()),
    description:
      'JSON object from values of OIDC_ORGANISATION_CLAIM to slugs; other values are slugs themselves.',
  }),
  OIDC_DEFAULT_ORGANISATION: envVar.string({
    optional: true,
    description:
      'Slug of the organisation that new users join. Unset: they need a claim or an invitation.',
  }),
  OIDC_TEAM_CLAIM: envVar.string({
    optional: true,
    description: 'Claim that sets the teams at each sign-in. Unset: teams are managed in Tollgate.',
  }),
  OIDC_TEAM_MAPPING: envVar.string({
    default: '{}',
    check: (text) => void parseMapping(text, z.string()),
    description:
      'JSON object from values of OIDC_TEAM_CLAIM to team names; other values are names themselves.',
  }),
};

type SsoConfig = ConfigOf<typeof ssoShape>;
export type OrganisationRole = (typeof rest.ORGANISATION_ROLES)[number];

export interface SsoSettings {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly clientAuth: 'client_secret_basic' | 'client_secret_post';
  readonly name: string;
  readonly scopes: readonly string[];
  readonly allowedDomains: readonly string[];
  readonly claims: {
    readonly email: string;
    readonly emailVerified: string;
    readonly name: string;
    readonly role: string | undefined;
    readonly organisation: string | undefined;
    readonly team: string | undefined;
  };
  readonly roles: ReadonlyMap<string, OrganisationRole>;
  readonly defaultRole: OrganisationRole | undefined;
  readonly organisations: ReadonlyMap<string, string>;
  readonly defaultOrganisation: string | undefined;
  readonly teams: ReadonlyMap<string, string>;
}

/** Undefined without an issuer. Throws an error that names a missing variable. */
export function readSsoSettings(config: SsoConfig): SsoSettings | undefined {
  const { OIDC_ISSUER: issuerText, OIDC_CLIENT_ID: clientId } = config;
  if (issuerText === undefined) return undefined;
  if (clientId === undefined) throw new RangeError('OIDC_CLIENT_ID is needed with OIDC_ISSUER');
  if (!config.OIDC_SCOPES.includes('openid')) {
    throw new RangeError('OIDC_SCOPES must include openid');
  }
  const issuer = new URL(issuerText);
  if (issuer.protocol !== 'https:' && !isLoopback(issuer.hostname)) {
    throw new RangeError('OIDC_ISSUER must begin with https:// unless it is on loopback');
  }
  return {
    issuer,
    clientId,
    clientSecret: config.OIDC_CLIENT_SECRET,
    clientAuth: config.OIDC_CLIENT_AUTH,
    name: config.OIDC_NAME,
    scopes: config.OIDC_SCOPES,
    allowedDomains: config.OIDC_ALLOWED_DOMAINS.map((domain) => domain.toLowerCase()),
    claims: {
      email: config.OIDC_EMAIL_CLAIM,
      emailVerified: config.OIDC_EMAIL_VERIFIED_CLAIM,
      name: config.OIDC_NAME_CLAIM,
      role: config.OIDC_ROLE_CLAIM,
      organisation: config.OIDC_ORGANISATION_CLAIM,
      team: config.OIDC_TEAM_CLAIM,
    },
    roles: parseMapping(config.OIDC_ROLE_MAPPING, z.enum(ORGANISATION_ROLES)),
    defaultRole: config.OIDC_DEFAULT_ROLE,
    organisations: parseMapping(config.OIDC_ORGANISATION_MAPPING, z.string()),
    defaultOrganisation: config.OIDC_DEFAULT_ORGANISATION,
    teams: parseMapping(config.OIDC_TEAM_MAPPING, z.string()),
  };
}

function parseMapping<T>(text: string, value: z.ZodType<T>): Map<string, T> {
  try {
    return new Map(Object.entries(z.record(z.string(), value).parse(JSON.parse(text))));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : 'it is not JSON';
    throw new RangeError(`must be a JSON object from claim values to what they mean: ${why}`);
  }
}
