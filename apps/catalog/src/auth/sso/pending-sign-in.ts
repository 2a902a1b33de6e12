import type { Clock } from '@tollgate/kit';
import { sign } from 'jsonwebtoken';
import { z } from 'zod';

import { verifyWithAny, type SigningSecrets } from '../signing-secrets';
import type { Expected } from './provider';

/** The state of a pending sign-in, signed, in a cookie. */

export const SSO_SECONDS = 10 * 60;

const ISSUER = 'tollgate-catalog';
const AUDIENCE = 'tollgate-sso';
const ALGORITHM = 'HS256';

const waiting = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string(),
});

export type PendingSignIn = Expected & { readonly next: string };

export function createPendingSignIns(
  secrets: SigningSecrets,
  clock: Clock,
): {
  write(one: PendingSignIn): string;
  /** Undefined when it is missing, expired or not signed by us. */
  read(cookie: string | undefined): PendingSignIn | undefined;
} {
  return {
    write: (one) =>
      sign({ ...one, iat: Math.floor(clock.now() / 1000) }, secrets[0], {
        algorithm: ALGORITHM,
        issuer: ISSUER,
        audience: AUDIENCE,
        expiresIn: SSO_SECONDS,
      }),
    read(cookie) {
      if (cookie === undefined || cookie === '') return undefined;
      try {
        const payload = verifyWithAny(cookie, secrets, {
          algorithms: [ALGORITHM],
          issuer: ISSUER,
          audience: AUDIENCE,
          clockTimestamp: Math.floor(clock.now() / 1000),
        });
        return waiting.parse(payload);
      } catch {
        // Any defect means that the sign-in has to start over.
        return undefined;
      }
    },
  };
}
