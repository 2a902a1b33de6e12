import { rest } from '@tollgate/contracts';

import type { StoredMcpRules } from '../../entities/mcp-server.entity';

/** Rules for the tools, prompts and resources of an MCP server: stored form, and which is narrower. */

type NameRules = rest.McpNameRules;

type GivenRules = Readonly<Partial<Record<rest.McpRuleKind, NameRules | undefined>>>;

/** Stored without kinds that allow everything, so that nothing is checked for them. */
export function storedRulesOf(given: GivenRules): StoredMcpRules {
  const kinds = rest.MCP_RULE_KINDS.flatMap((kind) => {
    const rules = given[kind];
    return rules === undefined || allowsEverything(rules) ? [] : [[kind, rules] as const];
  });
  return Object.fromEntries(kinds);
}

/** All three kinds, for answers. */
export function wholeRulesOf(stored: StoredMcpRules): rest.McpRules {
  return { ...rest.MCP_EVERYTHING, ...stored };
}

function allowsEverything({ allowed, denied }: NameRules): boolean {
  return allowed.includes('*') && denied.length === 0;
}

/** The first kind in which `inner` may allow a name that `outer` does not; undefined: none. */
export function widerKind(inner: GivenRules, outer: GivenRules): rest.McpRuleKind | undefined {
  return rest.MCP_RULE_KINDS.find(
    (kind) =>
      !isWithin(inner[kind] ?? rest.MCP_EVERYTHING[kind], outer[kind] ?? rest.MCP_EVERYTHING[kind]),
  );
}

/**
 * Whether every name that `inner` allows is one that `outer` allows. Each pattern of `inner` must be
 * covered by a single one of `outer`, and each of `outer`'s denials that touches it by a single one
 * of `inner`'s, so a few sets that are equal to a narrower one are still refused.
 */
export function isWithin(inner: NameRules, outer: NameRules): boolean {
  return inner.allowed.every((pattern) => {
    if (isCovered(pattern, inner.denied)) return true;
    return (
      isCovered(pattern, outer.allowed) &&
      outer.denied.every((denied) => {
        const common = commonOf(pattern, denied);
        return common === undefined || isCovered(common, inner.denied);
      })
    );
  });
}

function isCovered(pattern: string, by: readonly string[]): boolean {
  return by.some((wide) => covers(wide, pattern));
}

/** Whether every name that `narrow` matches is matched by `wide`. */
function covers(wide: string, narrow: string): boolean {
  if (!wide.endsWith('*')) return wide === narrow;
  // Of `ab*` the beginning `ab` counts: it starts with `a` of `a*`.
  return beginningOf(narrow).startsWith(wide.slice(0, -1));
}

/** The names that both match: two patterns overlap only where one covers the other. */
function commonOf(one: string, other: string): string | undefined {
  if (covers(one, other)) return other;
  return covers(other, one) ? one : undefined;
}

function beginningOf(pattern: string): string {
  return pattern.endsWith('*') ? pattern.slice(0, -1) : pattern;
}
