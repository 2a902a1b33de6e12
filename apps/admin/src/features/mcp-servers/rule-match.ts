import { allowsName, type rest } from '@tollgate/contracts';

// How the rules of an MCP server treat one name. Pure.

/**
 * The pattern that keeps `withAllowed` from allowing the name: a denied beginning, or a name that no
 * pattern can express. Undefined where the name can be allowed and denied by itself.
 */
export function fixedBy({ denied }: rest.McpNameRules, name: string): string | undefined {
  if (name.includes('*')) return name;
  return denied.find(
    (pattern) => pattern !== name && allowsName({ allowed: [pattern], denied: [] }, name),
  );
}

/** The rules with one name allowed or denied; every other name keeps its rule. */
export function withAllowed(
  rules: rest.McpNameRules,
  name: string,
  allow: boolean,
): rest.McpNameRules {
  if (allowsName(rules, name) === allow || fixedBy(rules, name) !== undefined) return rules;
  const allowed = rules.allowed.filter((pattern) => pattern !== name);
  const denied = rules.denied.filter((pattern) => pattern !== name);
  if (allowsName({ allowed, denied }, name) === allow) return { allowed, denied };
  return allow ? { allowed: [...allowed, name], denied } : { allowed, denied: [...denied, name] };
}
