/** Which tools, prompts and resources of an MCP server may be used. */

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
    return own === undefined || own === null || allowsName(own, name);
  });
}

/** Whether a rule set says anything about this kind of name. */
export function restricts(sets: readonly McpRules[], kind: McpNameKind): boolean {
  return sets.some((rules) => rules[kind] !== undefined && rules[kind] !== null);
}

export function matchesName(pattern: string, name: string): boolean {
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
