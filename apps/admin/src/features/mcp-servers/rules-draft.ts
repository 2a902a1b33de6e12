import { rest } from '@tollgate/contracts';

import { sentence } from '../../format/words';
import { linesOf } from '../../resource/typed';

// The rules of a server or a grant as a form holds them. Pure.

/** One pattern per line. */
export interface NameRulesDraft {
  readonly allowed: string;
  readonly denied: string;
}
export type RulesDraft = Readonly<Record<rest.McpRuleKind, NameRulesDraft>>;

export function rulesDraftOf(rules: rest.McpRules): RulesDraft {
  return eachKind((kind) => draftOf(rules[kind]));
}

export function draftOf({ allowed, denied }: rest.McpNameRules): NameRulesDraft {
  return { allowed: allowed.join('\n'), denied: denied.join('\n') };
}

/** The rules for the request. Patterns that are typed twice are sent once. */
export function rulesOfDraft(draft: RulesDraft): Record<rest.McpRuleKind, rest.McpNameRules> {
  return eachKind((kind) => nameRulesOf(draft[kind]));
}

export function nameRulesOf({ allowed, denied }: NameRulesDraft): rest.McpNameRules {
  return { allowed: [...new Set(linesOf(allowed))], denied: [...new Set(linesOf(denied))] };
}

/** "All tools", "No tools", "Tools: search, read_*", with the denied ones. */
export function ruleWords(kind: rest.McpRuleKind, rules: rest.McpNameRules): string {
  const { allowed, denied } = rules;
  if (allowed.length === 0 || denied.includes('*')) return `No ${kind}`;
  const first = allowed.includes('*') ? `All ${kind}` : `${sentence(kind)}: ${few(allowed)}`;
  return denied.length === 0 ? first : `${first}, except ${few(denied)}`;
}

const FEW = 5;

function few(patterns: readonly string[]): string {
  const shown = patterns.slice(0, FEW).join(', ');
  const more = patterns.length - FEW;
  return more > 0 ? `${shown} and ${String(more)} more` : shown;
}

/** The kinds that the rules restrict, in words; one sentence when they restrict nothing. */
export function rulesWords(rules: rest.McpRules): readonly string[] {
  const restricted = rest.MCP_RULE_KINDS.filter(
    (kind) => rules[kind].denied.length > 0 || !rules[kind].allowed.includes('*'),
  );
  if (restricted.length === 0) return ['All tools, prompts and resources'];
  return rest.MCP_RULE_KINDS.map((kind) => ruleWords(kind, rules[kind]));
}

function eachKind<Value>(of: (kind: rest.McpRuleKind) => Value): Record<rest.McpRuleKind, Value> {
  return { tools: of('tools'), prompts: of('prompts'), resources: of('resources') };
}
