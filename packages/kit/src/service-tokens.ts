import { createHash, timingSafeEqual } from 'node:crypto';

const NAME = /^[a-z][a-z0-9-]{0,62}$/;
const MIN_TOKEN_LENGTH = 16;

/** By token, the name of the service that sends it. While a token is replaced a service has two. */
export type ServiceTokens = ReadonlyMap<string, string>;

const PER_SERVICE_MOST = 2;

// Reads `edge=<token>,policy=<token>`. Error messages name the entry and its service, never a token.
export function parseTokens(text: string): ServiceTokens {
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
    if (tokensOf(tokens, name).length >= PER_SERVICE_MOST) {
      throw new RangeError(`${name} is listed more than twice`);
    }
    if (tokens.has(token)) throw new RangeError(`the token of ${name} is in another entry too`);
    tokens.set(token, name);
  }
  return tokens;
}

/** The tokens of a service, in the order in which they are listed. */
export function tokensOf(tokens: ServiceTokens, service: string): string[] {
  return [...tokens].filter(([, name]) => name === service).map(([token]) => token);
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
 * among the accepted tokens, the first if there are two.
 */
export function ownToken(
  service: string,
  config: { readonly INTERNAL_TOKEN: string; readonly INTERNAL_TOKENS: string },
): string | undefined {
  return config.INTERNAL_TOKEN || tokensOf(parseTokens(config.INTERNAL_TOKENS), service)[0];
}

/** Finds the service of a token in constant time. */
export type CallerOf = (token: string) => string | undefined;

export function createCallerOf(tokens: ServiceTokens): CallerOf {
  const known = [...tokens].map(([token, caller]) => ({ caller, digest: sha256(token) }));
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
