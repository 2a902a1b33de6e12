import {
  DEFAULT_PERSONAL_DATA,
  type PersonalDataType,
  type PluginParameter,
  type rest,
  type ScreeningAction,
  type ScreeningKind,
  type ScreeningPlace,
  type ScreeningRole,
  type ScreeningRule,
  type ScreeningScope,
} from '@tollgate/contracts';
import type { z } from 'zod';

import { linesOf, numberOrNull } from '../../resource/typed';
import { checksOf, linesOfChecks } from './parameter-lines';
import { WHOLE_PLACES } from './words';

// The draft of a screening policy: form state and request body. Pure.

type RuleBody = NonNullable<z.input<typeof rest.screeningPolicyCreate>['rules']>[number];
type OnError = ScreeningRule['onError'];
type SchemaBody = Extract<RuleBody, { kind: 'JSON_SCHEMA' }>['schema'];

export interface RuleDraft {
  readonly id: string;
  readonly kind: ScreeningKind;
  readonly where: readonly ScreeningPlace[];
  /** Null: what is new. */
  readonly roles: readonly ScreeningRole[] | null;
  readonly action: ScreeningAction;
  /** Empty: not chosen yet. */
  readonly onError: OnError | '';
  readonly message: string;
  readonly restore: boolean;
  /** Keywords, patterns, domains, models or checks of parameters, one per line. */
  readonly lines: string;
  readonly types: readonly PersonalDataType[];
  readonly mode: 'ALLOW' | 'DENY';
  readonly wholeWords: boolean;
  /** Of keywords and patterns. */
  readonly caseSensitive: boolean;
  /** As typed. */
  readonly maxCharacters: string;
  readonly token: string;
  /** The identifier of a screening service. */
  readonly service: string;
  /** As typed. */
  readonly timeoutMs: string;
  readonly wait: 'BEFORE' | 'BESIDE';
  /** JSON, as typed. */
  readonly schema: string;
  /** Of a plugin. */
  readonly mayChange: readonly PluginParameter[];
  /** Names of models that a plugin may choose, one per line. */
  readonly routes: string;
  /** Keys of tags that a plugin may set, one per line. */
  readonly tags: string;
  /** Kept unchanged. */
  readonly sample: number;
}

export interface ScreeningDraft {
  readonly identifier: string;
  readonly name: string;
  readonly active: boolean;
  readonly wholeOrganisation: boolean;
  readonly teamIds: readonly string[];
  readonly keyIds: readonly string[];
  readonly modelIds: readonly string[];
  readonly mcpServerIds: readonly string[];
  readonly rules: readonly RuleDraft[];
}

export const NEW_RULE: RuleDraft = {
  id: '',
  kind: 'PERSONAL_DATA',
  where: ['INPUT', 'TOOL_RESULTS'],
  roles: null,
  action: 'OBSERVE',
  onError: '',
  message: '',
  restore: true,
  lines: '',
  types: DEFAULT_PERSONAL_DATA,
  mode: 'DENY',
  wholeWords: true,
  caseSensitive: false,
  maxCharacters: '',
  token: '',
  service: '',
  timeoutMs: '2000',
  wait: 'BEFORE',
  schema: '',
  mayChange: [],
  routes: '',
  tags: '',
  sample: 1,
};

export const NEW_POLICY: ScreeningDraft = {
  identifier: '',
  name: '',
  active: true,
  wholeOrganisation: true,
  teamIds: [],
  keyIds: [],
  modelIds: [],
  mcpServerIds: [],
  rules: [{ ...NEW_RULE, id: 'personal-data' }],
};

export function draftOf(policy: rest.ScreeningPolicy): ScreeningDraft {
  const { attachedTo, identifier, name, rules, status } = policy;
  const idsOf = (scope: ScreeningScope): string[] =>
    attachedTo.filter(({ scopeType }) => scopeType === scope).map(({ scopeId }) => scopeId);
  return {
    identifier,
    name,
    active: status === 'ACTIVE',
    wholeOrganisation: idsOf('ORGANISATION').length > 0,
    teamIds: idsOf('TEAM'),
    keyIds: idsOf('API_KEY'),
    modelIds: idsOf('MODEL'),
    mcpServerIds: idsOf('MCP_SERVER'),
    rules: rules.map(ruleDraftOf),
  };
}

function ruleDraftOf(rule: ScreeningRule): RuleDraft {
  const { action, id, kind, message, onError, roles, sample, where } = rule;
  const common = { id, kind, where, roles, action, onError, sample, message: message ?? '' };
  const draft = { ...NEW_RULE, ...common, restore: !('restore' in rule) || rule.restore };
  switch (rule.kind) {
    case 'KEYWORDS': {
      const { caseSensitive, keywords, wholeWords } = rule;
      return { ...draft, caseSensitive, wholeWords, lines: keywords.join('\n') };
    }
    case 'REGEX': {
      const lines = rule.patterns.map(({ name, pattern }) => `${name}: ${pattern}`).join('\n');
      return { ...draft, caseSensitive: !rule.ignoreCase, lines };
    }
    case 'PERSONAL_DATA':
      return { ...draft, types: rule.types };
    case 'URLS':
      return { ...draft, mode: rule.mode, lines: rule.domains.join('\n') };
    case 'SIZE':
      return { ...draft, maxCharacters: String(rule.maxCharacters) };
    case 'CANARY':
      return { ...draft, token: rule.token };
    case 'MODELS':
      return { ...draft, mode: rule.mode, lines: rule.models.join('\n') };
    case 'PARAMETERS':
      return { ...draft, lines: linesOfChecks(rule.parameters) };
    case 'JSON_SCHEMA':
      return { ...draft, schema: JSON.stringify(rule.schema, undefined, 2) };
    case 'EXTERNAL':
    case 'PLUGIN': {
      const { service, timeoutMs, wait } = rule;
      const asking = { ...draft, service, timeoutMs: String(timeoutMs), wait };
      if (rule.kind !== 'PLUGIN') return asking;
      const { mayChange, mayRouteTo, mayTag } = rule;
      return { ...asking, mayChange, routes: mayRouteTo.join('\n'), tags: mayTag.join('\n') };
    }
    default:
      return draft;
  }
}

export function bodyOf(
  draft: ScreeningDraft,
  organisationId: string,
): z.input<typeof rest.screeningPolicyCreate> {
  const { active, identifier, name, rules, wholeOrganisation } = draft;
  const attached = (scopeType: ScreeningScope, ids: readonly string[]) =>
    ids.map((scopeId) => ({ scopeType, scopeId }));
  return {
    identifier,
    name,
    status: active ? 'ACTIVE' : 'DISABLED',
    attachedTo: [
      ...attached('ORGANISATION', wholeOrganisation ? [organisationId] : []),
      ...attached('TEAM', draft.teamIds),
      ...attached('API_KEY', draft.keyIds),
      ...attached('MODEL', draft.modelIds),
      ...attached('MCP_SERVER', draft.mcpServerIds),
    ],
    rules: rules.map(ruleBodyOf),
  };
}

/** What is missing or wrong is sent as it is, so that the server names the field. */
export function ruleBodyOf(draft: RuleDraft): RuleBody {
  const { action, id, kind, message, restore, roles, sample, where } = draft;
  const common = {
    id: id.trim(),
    where: [...where],
    roles: roles && [...roles],
    action,
    onError: draft.onError as OnError,
    sample: action === 'OBSERVE' ? sample : 1,
    message: message.trim() === '' ? null : message.trim(),
  };
  const lines = linesOf(draft.lines);
  switch (kind) {
    case 'KEYWORDS': {
      const { caseSensitive, wholeWords } = draft;
      return { ...common, kind, keywords: lines, caseSensitive, wholeWords, restore };
    }
    case 'REGEX':
      return {
        ...common,
        kind,
        patterns: lines.map(patternOf),
        ignoreCase: !draft.caseSensitive,
        restore,
      };
    case 'PERSONAL_DATA':
      return { ...common, kind, types: [...draft.types], restore };
    case 'SECRETS':
      return { ...common, kind, restore };
    case 'URLS':
      return { ...common, kind, mode: draft.mode, domains: lines, restore };
    case 'SIZE':
      return { ...common, kind, maxCharacters: numberOrNull(draft.maxCharacters) ?? 0 };
    case 'CANARY':
      return { ...common, kind, token: draft.token };
    case 'MODELS':
      return { ...common, kind, mode: draft.mode, models: lines };
    case 'PARAMETERS':
      return { ...common, kind, parameters: checksOf(lines) };
    case 'JSON_SCHEMA':
      return { ...common, kind, schema: schemaOf(draft.schema) };
    case 'EXTERNAL':
      return { ...common, ...askingOf(draft), kind };
    case 'PLUGIN':
      return {
        ...common,
        ...askingOf(draft),
        kind,
        mayChange: [...draft.mayChange],
        mayRouteTo: linesOf(draft.routes),
        mayTag: linesOf(draft.tags),
      };
    case 'PROMPT_INJECTION':
    case 'INVISIBLE_TEXT':
      return { ...common, kind };
  }
}

function askingOf(draft: RuleDraft) {
  const { action, kind, mayChange, restore, routes, service, timeoutMs, wait } = draft;
  const changesRequest = mayChange.length > 0 || linesOf(routes).length > 0;
  const changes = action === 'MASK' || (kind === 'PLUGIN' && changesRequest);
  return {
    service,
    timeoutMs: numberOrNull(timeoutMs) ?? 0,
    wait: changes ? ('BEFORE' as const) : wait,
    restore,
  };
}

/** What is no JSON is sent as text, which the server refuses. */
function schemaOf(typed: string): SchemaBody {
  try {
    return JSON.parse(typed) as SchemaBody;
  } catch {
    return typed as unknown as SchemaBody;
  }
}

/** The rule as another kind. Some kinds look in one place only. */
export function asKind(rule: RuleDraft, kind: ScreeningKind): Partial<RuleDraft> {
  const place = WHOLE_PLACES[kind];
  if (place === undefined) return { kind };
  const action = rule.action === 'MASK' ? 'BLOCK' : rule.action;
  return { kind, where: [place], roles: null, action };
}

/** `TICKET: T-[0-9]+`; a line without a name is a pattern that the server asks a name for. */
function patternOf(line: string): { name: string; pattern: string } {
  const found = /^([A-Z][A-Z0-9_]*):\s*(.*)$/.exec(line);
  return found ? { name: found[1] ?? '', pattern: found[2] ?? '' } : { name: '', pattern: line };
}

/** Adds or removes a value, in the order of all. */
export function toggled<T>(all: readonly T[], chosen: readonly T[], value: T, on: boolean): T[] {
  return all.filter((one) => (one === value ? on : chosen.includes(one)));
}
