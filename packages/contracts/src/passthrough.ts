// Requests that go to a provider as they are: which rule allows a path, and what a call costs. Used by the
// catalog (rules are saved), policy (rules decide) and the edge (the path is sent as it was decided).
import type { NanoUsd } from './money';

/** Not a model operation: the gateway does not know what the endpoint does. */
export const PASSTHROUGH_OPERATION = 'passthrough';
/** Route of the data plane. Records have the rule's path in place of the last part. */
export const PASSTHROUGH_PATH = '/v1/passthrough/:provider/*path';

export const PASSTHROUGH_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type PassthroughMethod = (typeof PASSTHROUGH_METHODS)[number];

export const PASSTHROUGH_RULES_MAX = 50;
/** The longest path of a rule, and of a request. */
export const PASSTHROUGH_PATTERN_CHARACTERS = 256;
export const PASSTHROUGH_PATH_CHARACTERS = 1_024;
export const PASSTHROUGH_QUERY_CHARACTERS = 4_096;
const SEGMENTS_MAX = 32;

/** Prices are per 1,000,000 bytes. */
export const BYTES_PER_MEGABYTE = 1_000_000;

/** What one rule allows, and its price. Money is nano-USD in decimal digits. */
export interface PassthroughRule {
  readonly method: string;
  readonly path: string;
  readonly callNanoUsd: string;
  readonly requestMegabyteNanoUsd: string;
  readonly responseMegabyteNanoUsd: string;
  readonly maxRequestBytes: number;
  readonly maxResponseBytes: number;
}

/** Characters of a segment that a server cannot take for a part of the path's structure. */
const SEGMENT = /^(?:[A-Za-z0-9._~!$&'()*+,=:@-]|%[0-9A-F]{2})+$/;
/**
 * Encoded slashes, backslashes, percent signs, question marks, number signs, semicolons (a second decoding would change
 * the path) and control characters.
 */
const UNSAFE_ENCODED = /%(?:2F|5C|25|3F|23|3B|[01][0-9A-F]|7F)/;
const DOTS = /^\.{1,2}$/;
/** What a segment may have as it is. */
const PLAIN = /[A-Za-z0-9._~!$&'()*+,=:@-]/;

export type NormalisedPath = { readonly path: string } | { readonly problem: string };

/**
 * The path in one spelling, by which rules decide and which is sent: hexadecimal digits in upper case, and
 * characters that need no encoding decoded. A path that servers could read in two ways has a `problem`.
 */
export function normalisePath(raw: string): NormalisedPath {
  const problem = (text: string): NormalisedPath => ({ problem: text });
  if (!raw.startsWith('/')) return problem('must start with a slash');
  if (raw.length > PASSTHROUGH_PATH_CHARACTERS) {
    return problem(`must not be longer than ${PASSTHROUGH_PATH_CHARACTERS} characters`);
  }
  const path = raw.replace(/%([0-9A-Fa-f]{2})/g, (_, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return PLAIN.test(character) ? character : `%${digits.toUpperCase()}`;
  });
  const segments = path.slice(1).split('/');
  if (segments.length > SEGMENTS_MAX) return problem(`has more than ${SEGMENTS_MAX} segments`);
  for (const [at, segment] of segments.entries()) {
    // A path may end in a slash.
    if (segment === '' && at === segments.length - 1) continue;
    if (segment === '') return problem('has an empty segment');
    if (DOTS.test(segment)) return problem('has a segment of dots');
    if (UNSAFE_ENCODED.test(segment)) {
      return problem(
        'has an encoded slash, backslash, percent sign, question mark, number sign, semicolon or control character',
      );
    }
    if (!SEGMENT.test(segment)) return problem('has a character that a path cannot have');
    if (!isText(segment)) return problem('is not encoded as UTF-8');
  }
  return { path };
}

function isText(segment: string): boolean {
  try {
    return decodeURIComponent(segment) !== '';
  } catch {
    return false;
  }
}

/** Why a pattern cannot be saved; undefined: it can. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern.length > PASSTHROUGH_PATTERN_CHARACTERS) {
    return `must not be longer than ${PASSTHROUGH_PATTERN_CHARACTERS} characters`;
  }
  const normalised = normalisePath(pattern);
  if ('problem' in normalised) return normalised.problem;
  if (normalised.path !== pattern) return `must be written as ${normalised.path}`;
  const segments = pattern.slice(1).split('/');
  for (const [at, segment] of segments.entries()) {
    if (segment === '*' || !segment.includes('*')) continue;
    if (segment !== '**') return 'has a * beside other characters of a segment';
    if (at !== segments.length - 1) return 'has ** before its end';
  }
  return undefined;
}

/**
 * Whether a pattern matches a normalised path. A slash at the end of a path needs one at the end of the pattern: many
 * servers take both for one endpoint, which then would have the price of a wider rule.
 */
export function pathMatches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  const rest = wanted.at(-1) === '**';
  if (rest ? given.length < wanted.length : given.length !== wanted.length) return false;
  if (given.at(-1) === '' && wanted.at(-1) !== '') return false;
  return wanted.every((segment, at) => {
    const own = given[at] ?? '';
    if (segment === '*' || segment === '**') return own !== '';
    return segment === own;
  });
}

/** The first rule that allows the call. `path` is normalised. */
export function ruleFor<Rule extends Pick<PassthroughRule, 'method' | 'path'>>(
  rules: readonly Rule[],
  method: string,
  path: string,
): Rule | undefined {
  return rules.find((rule) => rule.method === method && pathMatches(rule.path, path));
}

/** The cost of a call with these bytes of body in nano-USD, rounded up once. */
export function passthroughCost(
  rule: Pick<PassthroughRule, 'callNanoUsd' | 'requestMegabyteNanoUsd' | 'responseMegabyteNanoUsd'>,
  requestBytes: number,
  responseBytes: number,
): NanoUsd {
  const megabyte = BigInt(BYTES_PER_MEGABYTE);
  const bytes =
    BigInt(requestBytes) * BigInt(rule.requestMegabyteNanoUsd) +
    BigInt(responseBytes) * BigInt(rule.responseMegabyteNanoUsd);
  return BigInt(rule.callNanoUsd) + (bytes + megabyte - 1n) / megabyte;
}

/** The bytes of a call as units of its record. */
export function passthroughUnits(
  requestBytes: number,
  responseBytes: number,
): { readonly request_byte: number; readonly response_byte: number } {
  return { request_byte: requestBytes, response_byte: responseBytes };
}

/** The route of a record: the rule instead of the path, so that an organisation has few of them. */
export function passthroughRoute({
  method,
  path,
}: Pick<PassthroughRule, 'method' | 'path'>): string {
  return `${method} /v1/passthrough/:provider${path}`;
}
