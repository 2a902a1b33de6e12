import { rest, restError } from '@tollgate/contracts';
import type { Clock, Logger } from '@tollgate/kit';
import type { DataSource } from 'typeorm';

import { recordChanges } from '../../audit';
import { serveOpen, type PublicCall, type Route } from '../../rest/call';
import { cookieHeader } from '../../rest/cookies';
import { SESSION_SECONDS } from '../sessions';
import { originOf, refreshCookie, signInUser } from '../sign-in';
import type { SigningSecrets } from '../signing-secrets';
import { SsoRefusal } from '../sso-refusal';
import { beginAttempt, ssoCounts } from '../throttle';
import { readPerson, type Person } from './claims';
import { createPendingSignIns, SSO_SECONDS } from './pending-sign-in';
import { createSsoProvider } from './provider';
import { resolveSsoUser } from './resolve-user';
import type { SsoSettings } from './settings';

const COOKIE_PATH = '/api/auth/oidc';

export interface SsoDeps {
  readonly orm: DataSource;
  readonly clock: Clock;
  readonly log: Logger;
  readonly jwtSecrets: SigningSecrets;
  readonly consoleUrl: string;
  readonly mail: boolean;
  /** Undefined: single sign-on is disabled. */
  readonly settings: SsoSettings | undefined;
}

/**
 * Single sign-on with the authorization code flow. Requests go through the console's own origin and
 * are always answered with a redirect: to the provider, or to the sign-in page with `signedIn` or
 * an `error` of `rest.SSO_ERRORS`.
 */
export function createSsoRoutes(deps: SsoDeps): Route[] {
  const { settings, consoleUrl } = deps;
  const waiting = createPendingSignIns(deps.jwtSecrets, deps.clock);
  const provider =
    settings && createSsoProvider(settings, `${consoleUrl}${rest.finishSso.path}`, deps.clock);

  return [
    serveOpen(rest.getSignInMethods, () =>
      Promise.resolve({
        password: true,
        passwordReset: deps.mail,
        sso: settings === undefined ? null : { name: settings.name, path: rest.startSso.path },
      }),
    ),

    serveOpen(rest.startSso, async (call) => {
      if (provider === undefined) throw restError('not_found');
      const { next } = call.query;
      try {
        const { url, expected } = await provider.begin();
        call.setHeader('set-cookie', pendingCookie(call, waiting.write({ ...expected, next })));
        call.setHeader('location', url);
      } catch (error) {
        refuse(deps, call, error, next);
      }
    }),

    serveOpen(rest.finishSso, async (call) => {
      if (provider === undefined || settings === undefined) throw restError('not_found');
      const begun = waiting.read(call.cookies[rest.SSO_COOKIE]);
      // The cookie is single-use, whatever the outcome.
      const ended = pendingCookie(call, '');
      call.setHeader('set-cookie', ended);
      try {
        if (begun === undefined) throw new SsoRefusal('sso_expired');
        const { waitMs, succeeded } = await beginAttempt(
          call.db,
          ssoCounts(call.remoteAddress),
          call.nowMs,
        );
        if (waitMs > 0) throw new SsoRefusal('sso_too_many');
        const told = await provider.finish(call.query, begun);
        const person = readPerson(told.subject, told.claims, settings, told.address);
        if (typeof person === 'string') throw new SsoRefusal(person);
        const token = await signInPerson(deps.orm, call, told.issuer, person, settings);
        await succeeded();
        call.setHeader('set-cookie', [ended, refreshCookie(call, token, SESSION_SECONDS)]);
        toSignInPage(deps, call, { signedIn: '1', next: begun.next });
      } catch (error) {
        refuse(deps, call, error, begun?.next);
      }
    }),
  ];
}

/** Opens a session, with the audit trail of a success or of a refusal. Returns its refresh token. */
async function signInPerson(
  orm: DataSource,
  call: PublicCall,
  issuer: string,
  person: Person,
  settings: SsoSettings,
): Promise<string> {
  try {
    return await orm.transaction(async (tx) => {
      const placed = await resolveSsoUser(tx, issuer, person, settings, call.nowMs);
      const { token } = await signInUser(tx, call, placed.user, 'SSO');
      await recordChanges(tx, { actor: placed.user, ...originOf(call) }, placed.changes);
      return token;
    });
  } catch (error) {
    if (error instanceof SsoRefusal && error.trail !== undefined) {
      const { trail } = error;
      const origin = { actor: null, ...originOf(call) };
      await orm.transaction((tx) => recordChanges(tx, origin, [trail]));
    }
    throw error;
  }
}

function refuse(deps: SsoDeps, call: PublicCall, error: unknown, next: string | undefined): void {
  const refusal = error instanceof SsoRefusal ? error : new SsoRefusal('sso_failed');
  const about = { code: refusal.code, reason: refusal.reason, requestId: call.requestId };
  if (error instanceof SsoRefusal) deps.log.warn('single sign-on was refused', about);
  else deps.log.error('single sign-on failed', { error, ...about });
  toSignInPage(deps, call, { error: refusal.code, ...(next === undefined ? {} : { next }) });
}

function toSignInPage(
  { consoleUrl }: SsoDeps,
  call: PublicCall,
  query: Record<string, string>,
): void {
  call.setHeader('location', `${consoleUrl}/login?${new URLSearchParams(query).toString()}`);
}

/** SameSite=Lax, because the provider redirects the browser from another site. */
function pendingCookie(call: PublicCall, value: string): string {
  return cookieHeader(rest.SSO_COOKIE, value, {
    path: COOKIE_PATH,
    maxAgeSeconds: value === '' ? 0 : SSO_SECONDS,
    secure: call.encrypted,
    lax: true,
  });
}
