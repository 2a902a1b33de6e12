// Which names the rules of a server and of a grant let through.

import { allAllow, mayAllowUri } from '@tollgate/contracts';
import type { McpRules__Output } from '@tollgate/contracts/node';

/** All of them must allow a name: those of the server, and those of the key's grant. */
export type RuleSets = readonly McpRules__Output[];

/**
 * Whether the rules allow a resource that the template may expand to. Which one a client reads is
 * decided when it reads it.
 */
export function allowsTemplate(rules: RuleSets, template: string): boolean {
  const expression = template.indexOf('{');
  if (expression < 0) return allAllow(rules, 'resources', template);
  const prefix = template.slice(0, expression);
  return rules.every(({ resources }) => resources === null || mayAllowUri(resources, prefix));
}
