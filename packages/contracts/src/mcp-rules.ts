/** Which tools, prompts and resources of an MCP server may be used. */

import { prefixReadings, uriReadings } from './mcp-rules-uris';

/** A pattern is an exact name, or a prefix followed by `*`. */
export interface NameRules {
  /** Empty: nothing is allowed. */
  readonly allowed: readonly string[];
  readonly denied: readonly string[];
}

/** What one rule set lets through; an absent kind: everything. */
export interface McpRules {
  readonly tools?: NameRules | null;
  readonly prompts?: NameRules | null;
  /** Of URIs. */
  readonly resources?: NameRules | null;
}

export type McpNameKind = keyof McpRules;

/** Whether one of `allowed` matches the name, and none of `denied`. */
export function allowsName({ allowed, denied }: NameRules, name: string): boolean {
  return (
    allowed.some((pattern) => matchesName(pattern, name)) &&
    !denied.some((pattern) => matchesName(pattern, name))
  );
}

/** Whether every rule set allows the name: a further set can only take away. */
export function allAllow(sets: readonly McpRules[], kind: McpNameKind, name: string): boolean {
  return sets.every((rules) => {
    const own = rules[kind];
    if (own === undefined || own === null) return true;
    return kind === 'resources' ? allowsUri(own, name) : allowsName(own, name);
  });
}

/**
 * Whether the rules let a URI through in every way in which a server may read it: each reading must be
 * allowed, and none may be denied. Patterns are read in the same ways, so that both sides of a comparison
 * are of one kind.
 */
function allowsUri(rules: NameRules, uri: string): boolean {
  if (allowsEverything(rules)) return true;
  const { allowed, denied } = uriPatternsOf(rules);
  return uriReadings(uri).every(
    (reading, way) =>
      allowed.some((pattern) => matchesUri(pattern, reading, way)) &&
      !denied.some((pattern) => matchesUri(pattern, reading, way)),
  );
}

/** Whether the rules may let a URI with this beginning through: `allowsUri` decides when it is known. */
export function mayAllowUri(rules: NameRules, prefix: string): boolean {
  if (allowsEverything(rules)) return true;
  const { allowed, denied } = uriPatternsOf(rules);
  return prefixReadings(prefix).every(
    (reading, way) =>
      allowed.some(
        (pattern) =>
          matchesUri(pattern, reading, way) ||
          spellingsOf(pattern, way).some((spelling) => spelling.startsWith(reading)),
      ) && !denied.some((pattern) => pattern.isPrefix && matchesUri(pattern, reading, way)),
  );
}

interface UriPattern {
  readonly isPrefix: boolean;
  /** Of the URI, or of its beginning without the star. */
  readonly readings: readonly string[];
}

interface UriPatterns {
  readonly allowed: readonly UriPattern[];
  readonly denied: readonly UriPattern[];
}

/** Rules are read once, not for each entry of a list. */
const uriPatterns = new WeakMap<NameRules, UriPatterns>();

function uriPatternsOf(rules: NameRules): UriPatterns {
  const known = uriPatterns.get(rules);
  if (known) return known;
  const read = {
    allowed: rules.allowed.map(readUriPattern),
    denied: rules.denied.map(readUriPattern),
  };
  uriPatterns.set(rules, read);
  return read;
}

function readUriPattern(pattern: string): UriPattern {
  return pattern.endsWith('*')
    ? { isPrefix: true, readings: prefixReadings(pattern.slice(0, -1)) }
    : { isPrefix: false, readings: uriReadings(pattern) };
}

/** `way`: the index of the reading. What was sent is compared with the pattern as it is written only. */
function matchesUri(pattern: UriPattern, reading: string, way: number): boolean {
  const spellings = spellingsOf(pattern, way);
  return pattern.isPrefix
    ? spellings.some((spelling) => reading.startsWith(spelling))
    : spellings.includes(reading);
}

function spellingsOf({ readings }: UriPattern, way: number): readonly string[] {
  return readings.filter((_reading, index) => index === 0 || index === way);
}

function allowsEverything({ allowed, denied }: NameRules): boolean {
  return denied.length === 0 && allowed.includes('*');
}

/** Whether a rule set says anything about this kind of name. */
export function restricts(sets: readonly McpRules[], kind: McpNameKind): boolean {
  return sets.some((rules) => rules[kind] !== undefined && rules[kind] !== null);
}

function matchesName(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** The kind of name that a method's request names; undefined: it names none. */
export function namedBy(method: string): McpNameKind | undefined {
  return Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined;
}

const NAMED_BY: Readonly<Record<string, McpNameKind>> = {
  'tools/call': 'tools',
  'prompts/get': 'prompts',
  'resources/read': 'resources',
  'resources/subscribe': 'resources',
  'resources/unsubscribe': 'resources',
};
