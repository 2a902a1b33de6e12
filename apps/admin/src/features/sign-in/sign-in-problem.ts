import { rest, REST_ERRORS } from '@tollgate/contracts';

/** Why single sign-on ended without a session, for the page. */
export interface SignInProblem {
  readonly code: string;
  readonly sentence: string;
}

/** The meaning of the URL's `error`; undefined for unknown codes. */
export function signInProblem(code: string | undefined): SignInProblem | undefined {
  if (code === undefined) return undefined;
  if (Object.hasOwn(rest.SSO_ERRORS, code))
    return { code, sentence: rest.SSO_ERRORS[code as rest.SsoError] };
  if (code === 'not_found')
    return { code, sentence: 'Single sign-on is not configured on this gateway.' };
  if (Object.hasOwn(REST_ERRORS, code)) {
    return { code, sentence: REST_ERRORS[code as keyof typeof REST_ERRORS].sentence };
  }
  return undefined;
}
