import { createHash, timingSafeEqual } from 'node:crypto';

const NAME = /^[a-z][a-z0-9-]{0,62}$/;
const MIN_TOKEN_LENGTH = 16;

// Reads `edge=<token>,policy=<token>`: one token per calling service. Error messages name the entry
// and its service, never a token.
export function parseTokens(text: string): Map<string, string> {
  const tokens = new Map<string, string>();
  for (const [index, entry] of text.split(',').entries()) {
    if (entry.trim() === '') continue;
    const equals = entry.indexOf('=');
    const name = entry.slice(0, Math.max(equals, 0)).trim();
    const token = entry.slice(equals + 1).trim();
    if (!NAME.test(name)) {
      throw new RangeError(`entry ${index + 1} must read <service>=<token>`);
    }
    const problem = problemOf(token);
    if (problem !== undefined) throw new RangeError(`the token of ${name} ${problem}`);
    if (tokens.has(name)) throw new RangeError(`${name} is listed twice`);
    if ([...tokens.values()].includes(token)) {
      throw new RangeError(`the token of ${name} is also another service's`);
    }
    tokens.set(name, token);
  }
  return tokens;
}

/** Throws a RangeError that completes the sentence "NAME …" and never contains the token. */
export function checkToken(token: string): void {
  const problem = problemOf(token);
  if (problem !== undefined) throw new RangeError(problem);
}

function problemOf(token: string): string | undefined {
  if (token.length < MIN_TOKEN_LENGTH) return `must have at least ${MIN_TOKEN_LENGTH} characters`;
  if (!/^[\x21-\x7e]+$/.test(token)) return 'must be printable ASCII without blanks';
  return undefined;
}

/**
 * The token that `service` sends to others: its own variable, or, as in older releases, its entry
 * among the accepted tokens.
 */
export function ownToken(
  service: string,
  config: { readonly INTERNAL_TOKEN: string; readonly INTERNAL_TOKENS: string },
): string | undefined {
  return config.INTERNAL_TOKEN || parseTokens(config.INTERNAL_TOKENS).get(service);
}

/** Finds the service of a token in constant time. */
export type CallerOf = (token: string) => string | undefined;

export function createCallerOf(tokens: ReadonlyMap<string, string>): CallerOf {
  const known = [...tokens].map(([caller, token]) => ({ caller, digest: sha256(token) }));
  return (token) => {
    const digest = sha256(token);
    let found: string | undefined;
    // Every entry is compared, also after a match.
    for (const entry of known) if (timingSafeEqual(entry.digest, digest)) found = entry.caller;
    return found;
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
