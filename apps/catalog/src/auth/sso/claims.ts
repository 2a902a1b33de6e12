import { rest } from '@tollgate/contracts';
import { z } from 'zod';

import type { OrganisationRole, SsoSettings } from './settings';

/** Reads a person from an identity provider's claims, by the settings. Pure. */

export interface Person {
  readonly subject: string;
  /** Undefined when the provider sends no address. */
  readonly email: string | undefined;
  readonly emailVerified: boolean;
  readonly name: string;
  /** Undefined when roles are managed in Tollgate. */
  readonly role: OrganisationRole | undefined;
  /** Slugs of permitted organisations; undefined when no claim decides. */
  readonly organisations: readonly string[] | undefined;
  /** Team names; undefined when teams are managed in Tollgate, or the claim is missing. */
  readonly teams: readonly string[] | undefined;
}

export type Claims = Readonly<Record<string, unknown>>;

const MAX_VALUES = 1000;
const MAX_NAME = 200;

export function readPerson(
  subject: string,
  claims: Claims,
  settings: SsoSettings,
  /** The claims to read address and flag from, when they differ from `claims`. */
  address: Claims = claims,
): Person | rest.SsoError {
  const { claims: names } = settings;
  const email = emailIn(address, names.email);
  const { allowedDomains } = settings;
  if (allowedDomains.length > 0 && !allowedDomains.includes(email?.split('@').at(-1) ?? '')) {
    return 'sso_domain_not_allowed';
  }
  const role = names.role === undefined ? undefined : roleIn(claims, names.role, settings);
  if (names.role !== undefined && role === undefined) return 'sso_no_role';
  return {
    subject,
    email,
    emailVerified: [true, 'true', 1, '1'].some(
      (yes) => valueAt(address, names.emailVerified) === yes,
    ),
    name: nameIn(claims, names.name) ?? email ?? subject,
    role,
    organisations: mapped(claims, names.organisation, settings.organisations),
    // A missing claim is not an empty one: a provider may leave out a claim that is too long.
    teams:
      names.team === undefined || !isTexts(valueAt(claims, names.team))
        ? undefined
        : mapped(claims, names.team, settings.teams),
  };
}

/** A claim by name, or by a path such as `realm_access.roles`. */
export function valueAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part))
      return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/**
 * The claims, of ID token or userinfo, that contain both the address and its verified flag: the
 * flag says nothing about an address from elsewhere.
 */
export function addressSource(
  idToken: Claims,
  userInfo: Claims,
  { claims: { email, emailVerified } }: Pick<SsoSettings, 'claims'>,
): Claims {
  const told = (claims: Claims, name: string): boolean => valueAt(claims, name) !== undefined;
  if (told(idToken, email) && told(idToken, emailVerified)) return idToken;
  return told(userInfo, email) ? userInfo : idToken;
}

function isTexts(value: unknown): boolean {
  return typeof value === 'string' || Array.isArray(value);
}

/** The strings of a claim that is a string or a list. */
function textsAt(claims: Claims, path: string): string[] {
  const value = valueAt(claims, path);
  const all: unknown[] = Array.isArray(value) ? value : [value];
  return all.slice(0, MAX_VALUES).filter((one): one is string => typeof one === 'string');
}

function roleIn(
  claims: Claims,
  path: string,
  { roles, defaultRole }: SsoSettings,
): OrganisationRole | undefined {
  const given = textsAt(claims, path).map((value) => roles.get(value));
  // The highest role of those given.
  return rest.ORGANISATION_ROLES.find((role) => given.includes(role)) ?? defaultRole;
}

function mapped(
  claims: Claims,
  path: string | undefined,
  mapping: ReadonlyMap<string, string>,
): string[] | undefined {
  if (path === undefined) return undefined;
  return [...new Set(textsAt(claims, path).map((value) => mapping.get(value) ?? value))];
}

function emailIn(claims: Claims, path: string): string | undefined {
  const parsed = rest.email.safeParse(valueAt(claims, path));
  return parsed.success ? parsed.data : undefined;
}

function nameIn(claims: Claims, path: string): string | undefined {
  const parsed = z.string().safeParse(valueAt(claims, path));
  const name = parsed.success ? parsed.data.replaceAll('\0', '').toWellFormed().trim() : '';
  return name === '' ? undefined : name.slice(0, MAX_NAME).toWellFormed();
}
