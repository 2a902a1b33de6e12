import { z } from 'zod';

import { endpoint } from './endpoint';
import { email, password } from './fields';
import { linkToken } from './invitations';

/** Sign-in without the password: single sign-on, and links that set a new password. */

/** State of a sign-in that its return from the identity provider needs. */
export const SSO_COOKIE = 'tollgate_sso';

/**
 * Why single sign-on ended without a session: the code in the sign-in page's query
 * (`/login?error=<code>`) and the sentence to show.
 */
export const SSO_ERRORS = {
  sso_account_disabled: 'Your account or your organisation is not active. Ask an administrator.',
  sso_account_linked:
    'Your account is linked with somebody else at the identity provider. Ask an administrator.',
  sso_denied: 'The identity provider did not let you in, or you cancelled. Try again.',
  sso_domain_not_allowed: 'Addresses of your domain may not sign in here.',
  sso_email_not_verified:
    'The identity provider does not vouch for your email address. Verify it there, then try again.',
  sso_expired: 'The sign-in took too long or was begun in another window. Try again.',
  sso_failed: 'The answer of the identity provider could not be verified. Try again.',
  sso_no_organisation: 'You do not belong to an organisation here. Ask to be invited.',
  sso_no_role: 'Nothing that the identity provider says of you gives you a role here.',
  sso_other_organisation: 'The identity provider places you in another organisation than yours.',
  sso_too_many: 'Too many failed sign-ins. Wait before trying again.',
  sso_unavailable: 'The identity provider cannot be reached. Try again in a moment.',
} as const;
export type SsoError = keyof typeof SSO_ERRORS;

export const signInMethods = z
  .object({
    password: z.boolean(),
    passwordReset: z
      .boolean()
      .meta({ description: 'Whether a forgotten password can be reset by mail.' }),
    sso: z
      .object({
        name: z
          .string()
          .meta({ description: 'Name of the identity provider on the sign-in button.' }),
        path: z.string().meta({ description: 'Where the browser goes, with `?next=/path`.' }),
      })
      .nullable(),
  })
  .meta({ id: 'SignInMethods' });
export type SignInMethods = z.output<typeof signInMethods>;

const tag = 'Authentication';

export const getSignInMethods = endpoint({
  id: 'getSignInMethods',
  tag,
  summary: 'The available ways to sign in',
  method: 'GET',
  path: '/api/auth/methods',
  access: 'public',
  response: signInMethods,
});

export const requestPasswordReset = endpoint({
  id: 'requestPasswordReset',
  tag,
  summary:
    'Send a link for a new password; the response is the same whether or not the account exists',
  method: 'POST',
  path: '/api/auth/password-reset',
  access: 'public',
  body: z.strictObject({ email }).meta({ id: 'PasswordResetRequest' }),
});

export const confirmPasswordReset = endpoint({
  id: 'confirmPasswordReset',
  tag,
  summary: 'Set a new password with the token of a link; all sessions end',
  method: 'POST',
  path: '/api/auth/password-reset/confirm',
  access: 'public',
  body: z
    .strictObject({ token: linkToken, newPassword: password })
    .meta({ id: 'PasswordResetConfirm' }),
});

/** A path of the console that no browser resolves to another site. */
const consolePath = z
  .string()
  .max(1000)
  .regex(/^\/(?![/\\])[^\\\s]*$/, 'a path of the console, such as "/acme/dashboard"')
  // Resolved dots or an empty segment may leave "//another.site" behind.
  .refine(
    (path) => !/^[^?#]*\/(?:\/|(?:\.|%2e){1,2}(?:\/|$|[?#]))/i.test(path),
    'a path without empty segments and dots',
  );

/** Parameters of the identity provider; the answer's check rejects repeated ones. */
const answered = z.union([z.string(), z.array(z.string())]).optional();

export const startSso = endpoint({
  id: 'startSso',
  tag,
  summary: 'Start single sign-on: redirects the browser to the identity provider',
  method: 'GET',
  path: '/api/auth/oidc/start',
  access: 'public',
  query: z.strictObject({ next: consolePath.default('/') }),
  status: 302,
});

export const finishSso = endpoint({
  id: 'finishSso',
  tag,
  summary: 'Return from the identity provider; redirects the browser to the console',
  method: 'GET',
  path: '/api/auth/oidc/callback',
  access: 'public',
  query: z.looseObject({ code: answered, state: answered, error: answered }),
  status: 302,
});
