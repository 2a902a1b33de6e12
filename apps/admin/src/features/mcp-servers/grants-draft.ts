import { rest } from '@tollgate/contracts';

import { rulesDraftOf, rulesOfDraft, type RulesDraft } from './rules-draft';

// The grants of a key as a form holds them. Pure.

export interface GrantDraft {
  readonly mcpServerId: string;
  readonly rules: RulesDraft;
}

const EVERYTHING = rulesDraftOf(rest.MCP_EVERYTHING);

export function grantsDraftOf(grants: readonly rest.McpGrant[]): readonly GrantDraft[] {
  return grants.map((grant) => ({ mcpServerId: grant.mcpServerId, rules: rulesDraftOf(grant) }));
}

/**
 * The grants of the chosen servers: known ones keep their rules, a new one has those of `rulesOf`, or
 * allows everything.
 */
export function withServers(
  grants: readonly GrantDraft[],
  mcpServerIds: readonly string[],
  rulesOf: (mcpServerId: string) => rest.McpRules | undefined = () => undefined,
): readonly GrantDraft[] {
  return mcpServerIds.map((mcpServerId) => {
    const known = grants.find((grant) => grant.mcpServerId === mcpServerId);
    if (known !== undefined) return known;
    const rules = rulesOf(mcpServerId);
    return { mcpServerId, rules: rules === undefined ? EVERYTHING : rulesDraftOf(rules) };
  });
}

export function withRules(
  grants: readonly GrantDraft[],
  mcpServerId: string,
  rules: RulesDraft,
): readonly GrantDraft[] {
  return grants.map((grant) =>
    grant.mcpServerId === mcpServerId ? { mcpServerId, rules } : grant,
  );
}

export function grantsOfDraft(grants: readonly GrantDraft[]): rest.McpGrant[] {
  return grants.map(({ mcpServerId, rules }) => ({ mcpServerId, ...rulesOfDraft(rules) }));
}
