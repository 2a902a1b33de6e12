import { readConfig } from '@tollgate/kit';

import { addressSource, readPerson, valueAt } from './claims';
import { readSsoSettings, ssoShape, type SsoSettings } from './settings';

function settings(env: Record<string, string> = {}): SsoSettings {
  const all = { OIDC_ISSUER: 'https://id.example.com', OIDC_CLIENT_ID: 'tollgate', ...env };
  const read = readSsoSettings(readConfig('catalog', ssoShape, all));
  if (read === undefined) throw new Error('no settings');
  return read;
}

const JANE = { email: 'Jane@Example.com', email_verified: true, name: 'Jane', groups: ['dev'] };

describe('a person', () => {
  it('is read from the standard claims, and nothing more without a mapping', () => {
    expect(readPerson('s1', JANE, settings())).toEqual({
      subject: 's1',
      email: 'jane@example.com',
      emailVerified: true,
      name: 'Jane',
      role: undefined,
      organisations: undefined,
      teams: undefined,
    });
  });

  it('has the highest role that the claim gives', () => {
    const mapping = {
      OIDC_ROLE_CLAIM: 'groups',
      OIDC_ROLE_MAPPING: '{"dev":"USER","lead":"MANAGER"}',
    };
    const person = readPerson('s1', { ...JANE, groups: ['dev', 'lead', 'x'] }, settings(mapping));
    expect(person).toMatchObject({ role: 'MANAGER' });
  });

  it('is refused without a role, unless there is a default', () => {
    const mapping = { OIDC_ROLE_CLAIM: 'groups', OIDC_ROLE_MAPPING: '{"lead":"MANAGER"}' };
    expect(readPerson('s1', JANE, settings(mapping))).toBe('sso_no_role');
    const open = settings({ ...mapping, OIDC_DEFAULT_ROLE: 'USER' });
    expect(readPerson('s1', JANE, open)).toMatchObject({ role: 'USER' });
  });

  it.each([
    ['jane@example.com', undefined],
    ['jane@sub.example.com', 'sso_domain_not_allowed'],
    ['jane@example.com.evil.test', 'sso_domain_not_allowed'],
    ['not an address', 'sso_domain_not_allowed'],
  ])('of %s is refused with %s where one domain is allowed', (email, refusal) => {
    const person = readPerson(
      's1',
      { ...JANE, email },
      settings({ OIDC_ALLOWED_DOMAINS: 'example.com' }),
    );
    expect(typeof person === 'string' ? person : undefined).toBe(refusal);
  });

  it.each([
    [true, true],
    ['true', true],
    [1, true],
    [false, false],
    ['false', false],
    [undefined, false],
    [{}, false],
  ])('whose address is verified %j counts as %s', (email_verified, verified) => {
    const person = readPerson('s1', { ...JANE, email_verified }, settings());
    expect(person).toMatchObject({ emailVerified: verified });
  });

  it('has organisations and teams by mapping, or by their names', () => {
    const env = {
      OIDC_ORGANISATION_CLAIM: 'org',
      OIDC_ORGANISATION_MAPPING: '{"4711":"acme"}',
      OIDC_TEAM_CLAIM: 'realm.teams',
    };
    const claims = { ...JANE, org: '4711', realm: { teams: ['Research', 'Research', 7] } };
    expect(readPerson('s1', claims, settings(env))).toMatchObject({
      organisations: ['acme'],
      teams: ['Research'],
    });
  });
});

describe('teams', () => {
  const following = settings({ OIDC_TEAM_CLAIM: 'teams' });
  const teamsOf = (teams: unknown): unknown => {
    const person = readPerson('s1', { ...JANE, teams }, following);
    return typeof person === 'string' ? person : person.teams;
  };

  it('are kept here when the claim does not come, and none when it is empty', () => {
    expect(teamsOf(undefined)).toBeUndefined();
    expect(teamsOf(null)).toBeUndefined();
    expect(teamsOf([])).toEqual([]);
  });

  it('are read to the thousandth', () => {
    const names = Array.from({ length: 1200 }, (_none, n) => `team ${n}`);
    expect(teamsOf(names)).toEqual(names.slice(0, 1000));
  });
});

describe('an address', () => {
  const full = { email: 'jane@example.com', email_verified: true };
  const other = { email: 'eve@example.com', email_verified: false };
  const { email } = other;

  it.each([
    ['the ID token, which tells both', other, full, other],
    ['userinfo, when the ID token has the address alone', { email }, full, full],
    ['userinfo, when the ID token has the flag alone', { email_verified: true }, other, other],
    ['the ID token, when userinfo has no address', { email }, { email_verified: true }, { email }],
    ['userinfo, when the ID token has neither', {}, full, full],
  ])('and its flag are read from %s', (_which, idToken, userInfo, source) => {
    expect(addressSource(idToken, userInfo, settings())).toEqual(source);
  });

  it('is not verified by a flag from elsewhere', () => {
    const joined = { ...full, email };
    expect(readPerson('s1', joined, settings(), { email })).toMatchObject({
      email,
      emailVerified: false,
    });
  });
});

it('a claim is found by its whole name before it is taken for a path', () => {
  expect(valueAt({ 'https://x.test/role': 'a' }, 'https://x.test/role')).toBe('a');
  expect(valueAt({ a: { b: 1 } }, 'a.b')).toBe(1);
  expect(valueAt({ a: { b: 1 } }, 'a.c.d')).toBeUndefined();
  expect(valueAt({}, 'constructor.name')).toBeUndefined();
});

describe('settings', () => {
  it.each([
    [{ OIDC_CLIENT_ID: '' }, /OIDC_CLIENT_ID is needed/],
    [{ OIDC_ISSUER: 'http://id.example.com' }, /OIDC_ISSUER must begin with https/],
    [{ OIDC_SCOPES: 'email' }, /OIDC_SCOPES must include openid/],
    [{ OIDC_ROLE_MAPPING: 'lead=MANAGER' }, /OIDC_ROLE_MAPPING must be a JSON object.*not JSON/],
    [{ OIDC_ROLE_MAPPING: '{"lead":"SUPER_ADMIN"}' }, /OIDC_ROLE_MAPPING must be a JSON object/],
  ])('%j are refused by name', (env, message) => {
    expect(() => settings(env)).toThrow(message);
  });

  it('are none without an issuer', () => {
    expect(readSsoSettings(readConfig('catalog', ssoShape, {}))).toBeUndefined();
  });
});
