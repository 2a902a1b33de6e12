import { verify, type VerifyOptions } from 'jsonwebtoken';

/** The first signs, all verify. */
export type SigningSecrets = readonly [string, ...string[]];

const LENGTH_LEAST = 32;
const MOST = 4;

/** Throws a RangeError that completes the sentence "JWT_SECRET …" and never contains a secret. */
export function parseSigningSecrets(text: string): SigningSecrets {
  const [first = '', ...rest] = text.split(',').map((one) => one.trim());
  const all: SigningSecrets = [first, ...rest];
  if (all.some((one) => one.length < LENGTH_LEAST)) {
    throw new RangeError(
      `must have at least ${LENGTH_LEAST} characters, each of several that are separated by commas`,
    );
  }
  if (all.length > MOST) throw new RangeError(`must name at most ${MOST} secrets`);
  return all;
}

/** The payload. Throws when no secret has signed the token, or it is not valid. */
export function verifyWithAny(
  token: string,
  secrets: SigningSecrets,
  options: VerifyOptions & { readonly complete?: false },
): unknown {
  let failure: unknown;
  for (const secret of secrets) {
    try {
      return verify(token, secret, options);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
