import { z } from 'zod';

import { id } from './fields';

/** Which tools, prompts and resources of an MCP server may be used: by its own rules, and by those of a grant. */

/** The most patterns in one list, and the most characters in the lists of one kind. */
export const MCP_RULE_MAX_PATTERNS = 100;
export const MCP_RULE_MAX_CHARACTERS = 8000;

/** The longest pattern for tools and prompts, and for the URIs of resources. */
export const MCP_NAME_MAX = 128;
export const MCP_URI_MAX = 2000;

/** `search`, or `search_*`: a star stands for any rest, and only at the end. */
function pattern(max: number) {
  return z
    .string()
    .max(max)
    .regex(/^(?:[^*\p{Cc}]+\*?|\*)$/u, 'an exact name, or a beginning with one * at the end');
}

function patterns(max: number) {
  return z
    .array(pattern(max))
    .max(MCP_RULE_MAX_PATTERNS)
    .refine((list) => new Set(list).size === list.length, 'each pattern once');
}

function nameRules(max: number) {
  return z
    .strictObject({
      allowed: patterns(max)
        .default(['*'])
        .meta({ description: 'Names, or beginnings with * at the end. Empty: none is allowed.' }),
      denied: patterns(max).default([]).meta({ description: 'Refused although they are allowed.' }),
    })
    .refine(
      ({ allowed, denied }) => [...allowed, ...denied].join('').length <= MCP_RULE_MAX_CHARACTERS,
      `at most ${MCP_RULE_MAX_CHARACTERS} characters in all patterns`,
    );
}

/** On input: what is absent allows everything. */
export const mcpNameRules = nameRules(MCP_NAME_MAX).meta({ id: 'McpNameRules' });
export const mcpUriRules = nameRules(MCP_URI_MAX).meta({
  id: 'McpUriRules',
  description: 'Rules for the URIs of resources.',
});

const answered = z.object({ allowed: z.array(z.string()), denied: z.array(z.string()) }).meta({
  id: 'McpRules',
  description: 'Allowed is what `allowed` matches and `denied` does not.',
});
export type McpNameRules = z.output<typeof answered>;

/** The three rule lists of an answer. */
export const mcpRulesAnswer = {
  tools: answered,
  prompts: answered,
  resources: answered,
};

export const MCP_RULE_KINDS = ['tools', 'prompts', 'resources'] as const;
export type McpRuleKind = (typeof MCP_RULE_KINDS)[number];
export type McpRules = Readonly<Record<McpRuleKind, McpNameRules>>;

/** The three rule lists of a body. */
export const mcpRulesInput = {
  tools: mcpNameRules,
  prompts: mcpNameRules,
  resources: mcpUriRules,
};

const everything = { allowed: ['*'], denied: [] };
export const MCP_EVERYTHING: McpRules = {
  tools: everything,
  prompts: everything,
  resources: everything,
};

export const mcpGrant = z.object({ mcpServerId: id, ...mcpRulesAnswer }).meta({
  id: 'McpGrant',
  description: "Both the server's own rules and these must allow a name.",
});
export type McpGrant = z.output<typeof mcpGrant>;

export const mcpGrantInput = z
  .strictObject({
    mcpServerId: id,
    tools: mcpRulesInput.tools.optional(),
    prompts: mcpRulesInput.prompts.optional(),
    resources: mcpRulesInput.resources.optional(),
  })
  .meta({ id: 'McpGrantInput', description: 'Rules that are absent allow everything.' });
export type McpGrantInput = z.output<typeof mcpGrantInput>;

/** The most servers that one key is granted. */
export const MCP_GRANTS_MAX = 200;

export const mcpServerIds = z
  .array(id)
  .max(MCP_GRANTS_MAX)
  .refine((ids) => new Set(ids).size === ids.length, 'each server once');

export const mcpGrantInputs = z
  .array(mcpGrantInput)
  .max(MCP_GRANTS_MAX)
  .refine(
    (grants) => new Set(grants.map(({ mcpServerId }) => mcpServerId)).size === grants.length,
    'each server once',
  );
