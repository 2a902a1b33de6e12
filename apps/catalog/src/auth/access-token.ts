import { restError } from '@tollgate/contracts';
import type { Clock } from '@tollgate/kit';
import { sign } from 'jsonwebtoken';
import { z } from 'zod';

import { verifyWithAny, type SigningSecrets } from './signing-secrets';

/** Access tokens: short-lived JWTs that name a user and a session, and nothing else. */

export const ACCESS_TOKEN_SECONDS = 15 * 60;

const ISSUER = 'tollgate-catalog';
const AUDIENCE = 'tollgate-management';
const ALGORITHM = 'HS256';

const claims = z.object({ sub: z.uuid(), sid: z.uuid() });

export interface AccessTokens {
  issue(userId: string, sessionId: string): string;
  /** Throws 401. */
  read(header: string | undefined): { userId: string; sessionId: string };
}

export function createAccessTokens(secrets: SigningSecrets, clock: Clock): AccessTokens {
  return {
    issue: (userId, sessionId) =>
      sign({ sid: sessionId, iat: Math.floor(clock.now() / 1000) }, secrets[0], {
        algorithm: ALGORITHM,
        issuer: ISSUER,
        audience: AUDIENCE,
        subject: userId,
        expiresIn: ACCESS_TOKEN_SECONDS,
      }),
    read(header) {
      const [, token] = /^bearer ([\w.-]+)$/i.exec(header ?? '') ?? [];
      if (token === undefined) throw restError('unauthenticated');
      const { sub, sid } = claims.parse(payloadOf(token, secrets, clock));
      return { userId: sub, sessionId: sid };
    },
  };
}

function payloadOf(token: string, secrets: SigningSecrets, clock: Clock): unknown {
  try {
    return verifyWithAny(token, secrets, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      clockTimestamp: Math.floor(clock.now() / 1000),
    });
  } catch {
    // The same answer for expired, forged and malformed tokens.
    throw restError('unauthenticated');
  }
}
