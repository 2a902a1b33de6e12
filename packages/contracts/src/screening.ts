// What a screening rule is. The catalog checks rules when they are saved, the edge when it reads them.
import { z } from 'zod';

import { DEFAULT_PERSONAL_DATA, PERSONAL_DATA_TYPES } from './personal-data-types';
import {
  checkWholeRule,
  jsonSchemaSettings,
  modelsSettings,
  parametersSettings,
  WHOLE_RULE_LIMITS,
  type WholeKind,
} from './screening-whole';
import { MOST_TAGS, tagKey } from './usage-tags';

/**
 * Where a rule looks. TOOL_RESULTS are those that a client sends back, TOOL_ARGUMENTS those of a model;
 * MCP_REQUEST is what clients send to MCP servers, MCP_RESULT what those send.
 */
export const SCREENING_PLACES = [
  'INPUT',
  'TOOL_RESULTS',
  'OUTPUT',
  'TOOL_ARGUMENTS',
  'MCP_REQUEST',
  'MCP_RESULT',
] as const;
export type ScreeningPlace = (typeof SCREENING_PLACES)[number];

/** Whose text of a request; system includes instructions and definitions of tools. */
export const SCREENING_ROLES = ['system', 'user', 'assistant'] as const;
export type ScreeningRole = (typeof SCREENING_ROLES)[number];

/** What a hit does. A masked text is replaced by a placeholder. */
export const SCREENING_ACTIONS = ['OBSERVE', 'MASK', 'BLOCK'] as const;
export type ScreeningAction = (typeof SCREENING_ACTIONS)[number];

/** What happens when a rule cannot be decided. */
export const SCREENING_ON_ERROR = ['BLOCK', 'PASS'] as const;

export const SCREENING_LIMITS = {
  rules: 50,
  keywords: 2_000,
  keywordCharacters: 200,
  patterns: 20,
  patternCharacters: 500,
  domains: 1_000,
  attachments: 200,
  /** Of an organisation: every one that applies costs each request. */
  policies: 50,
  /** Of all rules of an organisation: each takes a millisecond for 16 KiB of text. */
  patternsTogether: 40,
  /** Of one check by a service. */
  timeoutMs: 30_000,
  /** That one check sends to a service. */
  checkedCharacters: 1_000_000,
  /** That a plugin may choose from. */
  routes: 50,
  ...WHOLE_RULE_LIMITS,
} as const;

const ruleId = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/, 'small letters, digits and - only, at most 64')
  .meta({ description: 'Its name in records and headers; unique in the policy.' });

const unique = (list: readonly string[]): boolean => new Set(list).size === list.length;
const someOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.array(z.enum(values)).min(1).max(values.length).refine(unique, 'each once');

const common = {
  id: ruleId,
  where: someOf(SCREENING_PLACES),
  roles: someOf(SCREENING_ROLES).nullable().default(null).meta({
    description:
      'Whose texts of a request, in all of its turns. Null: what is new, which is the last turn of the user and the tool results after the last answer. Rules that mask always read all turns. MCP messages have no roles.',
  }),
  action: z.enum(SCREENING_ACTIONS),
  onError: z.enum(SCREENING_ON_ERROR).meta({
    description:
      'When the rule cannot read what is there, as token ids that stand for text: BLOCK refuses, PASS goes on. Both are recorded.',
  }),
  sample: z.number().gt(0).max(1).default(1).meta({
    description: 'The part of the requests that are screened; below 1 for the action OBSERVE only.',
  }),
  message: z.string().min(1).max(300).nullable().default(null).meta({
    description: 'What a refused client reads; null: a sentence that names the rule.',
  }),
};

const restore = z.boolean().default(true).meta({
  description: 'Whether texts that were masked in the request are put back into the answer.',
});

const keyword = z.string().trim().min(2).max(SCREENING_LIMITS.keywordCharacters);
const domain = z
  .string()
  .max(253)
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/,
    'a domain in small letters, as example.com',
  );

/** Of a policy, and of a service. */
export const screeningIdentifier = z
  .string()
  .regex(
    /^[a-z](?:[a-z0-9-]{0,62}[a-z0-9])?$/,
    'small letters, digits and -, beginning with a letter, at most 64',
  );

/** The name of a service in rules. */
export const screeningServiceIdentifier = screeningIdentifier.meta({
  description: 'The name of a screening service in rules.',
});

/** Parameters that change neither the price of a request nor what it may use. */
export const PLUGIN_PARAMETERS = [
  'temperature',
  'top_p',
  'top_k',
  'presence_penalty',
  'frequency_penalty',
  'seed',
  'stop',
  'stop_sequences',
  'metadata',
  'user',
  'safety_identifier',
] as const;
export type PluginParameter = (typeof PLUGIN_PARAMETERS)[number];

/** The name of a model. Records name one among structured fields, so it has none of their characters. */
const routableModel = z
  .string()
  .max(200)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$/,
    'a model name: letters, digits and . _ : / @ + - only',
  );

/** Of rules that ask a service. */
const asking = {
  service: screeningServiceIdentifier,
  timeoutMs: z.int().min(10).max(SCREENING_LIMITS.timeoutMs).default(2_000).meta({
    description: 'For the whole check. After it the rule counts as failed.',
  }),
  wait: z.enum(['BEFORE', 'BESIDE']).default('BEFORE').meta({
    description:
      'Of texts of the request. BESIDE: the provider is called at once, and its answer is withheld until the verdict; not for MASK.',
  }),
  restore,
};

const rule = z.discriminatedUnion('kind', [
  z.strictObject({
    ...common,
    kind: z.literal('KEYWORDS'),
    keywords: z.array(keyword).min(1).max(SCREENING_LIMITS.keywords),
    caseSensitive: z.boolean().default(false),
    wholeWords: z.boolean().default(true),
    restore,
  }),
  z.strictObject({
    ...common,
    kind: z.literal('REGEX'),
    patterns: z
      .array(
        z.strictObject({
          name: z.string().regex(/^[A-Z][A-Z0-9_]{0,31}$/, 'capital letters, digits and _ only'),
          pattern: z.string().min(1).max(SCREENING_LIMITS.patternCharacters),
        }),
      )
      .min(1)
      .max(SCREENING_LIMITS.patterns)
      .meta({
        description:
          'Patterns in RE2 syntax, which has no backreferences and no lookaround. In a stream the last 200 characters are withheld.',
      }),
    ignoreCase: z.boolean().default(false),
    restore,
  }),
  z.strictObject({
    ...common,
    kind: z.literal('PERSONAL_DATA'),
    types: someOf(PERSONAL_DATA_TYPES).default([...DEFAULT_PERSONAL_DATA]),
    restore,
  }),
  z.strictObject({ ...common, kind: z.literal('SECRETS'), restore }),
  z.strictObject({ ...common, kind: z.literal('PROMPT_INJECTION') }),
  z.strictObject({ ...common, kind: z.literal('INVISIBLE_TEXT') }),
  z.strictObject({
    ...common,
    kind: z.literal('URLS'),
    mode: z.enum(['ALLOW', 'DENY']),
    domains: z.array(domain).max(SCREENING_LIMITS.domains).refine(unique, 'each once').meta({
      description: 'With all of their subdomains. ALLOW: URLs of others are hits.',
    }),
    restore,
  }),
  z.strictObject({
    ...common,
    kind: z.literal('SIZE'),
    maxCharacters: z.int().min(1).max(100_000_000).meta({
      description: 'Of all texts of a place together.',
    }),
  }),
  z.strictObject({
    ...common,
    kind: z.literal('CANARY'),
    token: z.string().min(8).max(200).meta({
      description: 'A text of the system prompt that no answer may repeat.',
    }),
  }),
  z.strictObject({ ...common, kind: z.literal('MODELS'), ...modelsSettings }),
  z.strictObject({ ...common, kind: z.literal('PARAMETERS'), ...parametersSettings }),
  z.strictObject({ ...common, kind: z.literal('JSON_SCHEMA'), ...jsonSchemaSettings }),
  z.strictObject({ ...common, ...asking, kind: z.literal('EXTERNAL') }),
  z.strictObject({
    ...common,
    ...asking,
    kind: z.literal('PLUGIN'),
    mayChange: z
      .array(z.enum(PLUGIN_PARAMETERS))
      .max(PLUGIN_PARAMETERS.length)
      .refine(unique, 'each once')
      .default([])
      .meta({ description: 'Parameters of the request that the service reads and may change.' }),
    mayRouteTo: z
      .array(routableModel)
      .max(SCREENING_LIMITS.routes)
      .refine(unique, 'each once')
      .default([])
      .meta({
        description:
          'Names of models, or of a routing policy, of which the service may choose one in place of the one that the request asks for. The key must be granted it.',
      }),
    mayTag: z
      .array(tagKey)
      .max(MOST_TAGS)
      .refine(unique, 'each once')
      .default([])
      .meta({ description: 'Keys of tags that the service may set in the record of the request.' }),
  }),
]);

export const screeningRule = rule
  .superRefine((given, context) => {
    const refuse = (field: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [field], message });
    const beside = 'wait' in given && given.wait === 'BESIDE';
    const routes = given.kind === 'PLUGIN' && given.mayRouteTo.length > 0;
    const changes = routes || (given.kind === 'PLUGIN' && given.mayChange.length > 0);
    if (routes && !given.where.includes('INPUT')) {
      refuse(
        'mayRouteTo',
        'needs INPUT in `where`: a model is chosen before the provider is called',
      );
    }
    if (beside && (given.action === 'MASK' || changes)) {
      refuse('wait', 'must be BEFORE: the provider gets what the rule has changed');
    }
    if (given.sample < 1 && given.action !== 'OBSERVE') {
      refuse('sample', 'is for the action OBSERVE only, because the rest would pass unseen');
    }
    if (given.kind === 'SIZE' && given.action === 'MASK') {
      refuse('action', 'MASK needs a text to replace, which a rule of size does not find');
    }
    checkWholeRule(given, context);
  })
  .meta({ id: 'ScreeningRule' });
export type ScreeningRule = z.output<typeof screeningRule>;
/** Rules that judge more than texts: whom a request is for, how it asks, or a whole answer. */
export type WholeRule = Extract<ScreeningRule, { kind: WholeKind }>;

/** Rules that ask services. */
export type AskingRule = Extract<ScreeningRule, { kind: 'EXTERNAL' | 'PLUGIN' }>;

export function asksService(given: ScreeningRule): given is AskingRule {
  return given.kind === 'EXTERNAL' || given.kind === 'PLUGIN';
}

export type ScreeningKind = ScreeningRule['kind'];

export const screeningRules = z
  .array(screeningRule)
  .max(SCREENING_LIMITS.rules)
  .refine((rules) => unique(rules.map(({ id }) => id)), 'each id once');

/** What a policy is attached to: everything below is screened by its rules. */
export const SCREENING_SCOPES = ['ORGANISATION', 'TEAM', 'API_KEY', 'MODEL', 'MCP_SERVER'] as const;
export type ScreeningScope = (typeof SCREENING_SCOPES)[number];
