// Which names the rules of a server and of a grant let through. A pattern is an exact name, or a prefix
// followed by `*`.

import type { McpRules__Output } from '@tollgate/contracts/node';

/** All of them must allow a name: those of the server, and those of the key's grant. */
export type RuleSets = readonly McpRules__Output[];
export type RuleKind = 'tools' | 'prompts' | 'resources';

/** Whether any rule is about names of this kind. */
export function isRestricted(rules: RuleSets, kind: RuleKind): boolean {
  return rules.some((set) => set[kind] !== null);
}

export function allowsName(rules: RuleSets, kind: RuleKind, name: string): boolean {
  return rules.every((set) => {
    const names = set[kind];
    if (names === null) return true;
    return (
      names.allowed.some((pattern) => matches(pattern, name)) &&
      !names.denied.some((pattern) => matches(pattern, name))
    );
  });
}

/**
 * Whether the rules allow a resource that the template may expand to. Which one a client reads is
 * decided when it reads it.
 */
export function allowsTemplate(rules: RuleSets, template: string): boolean {
  const expression = template.indexOf('{');
  if (expression < 0) return allowsName(rules, 'resources', template);
  const prefix = template.slice(0, expression);
  return rules.every(({ resources }) => {
    if (resources === null) return true;
    return (
      resources.allowed.some((pattern) => mayMatch(pattern, prefix)) &&
      !resources.denied.some((pattern) => pattern.endsWith('*') && matches(pattern, prefix))
    );
  });
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** Whether the pattern matches a name that starts with this prefix. */
function mayMatch(pattern: string, prefix: string): boolean {
  if (!pattern.endsWith('*')) return pattern.startsWith(prefix);
  const start = pattern.slice(0, -1);
  return prefix.startsWith(start) || start.startsWith(prefix);
}
