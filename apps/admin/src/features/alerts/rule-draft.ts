import {
  ORGANISATION_ALERT_KINDS,
  PLATFORM_ALERT_KINDS,
  type AlertKind,
  type rest,
} from '@tollgate/contracts';

import type { RuleInput } from './alert-api';

/** The form of a rule. Numbers are text, and the server validates them. Pure. */

export interface RuleDraft {
  readonly name: string;
  readonly kind: AlertKind;
  /** "50, 80, 100". */
  readonly thresholds: string;
  readonly requests: string;
  readonly per: 'API_KEY' | 'ORGANISATION';
  readonly span: 'HOUR' | 'DAY';
  readonly percent: string;
  readonly minimumRequests: string;
  readonly entries: string;
  readonly seconds: string;
  readonly destinationIds: readonly string[];
}

export const NEW_RULE: RuleDraft = {
  name: '',
  kind: 'BUDGET_USED',
  thresholds: '50, 80, 100',
  requests: '20',
  per: 'API_KEY',
  span: 'HOUR',
  percent: '20',
  minimumRequests: '20',
  entries: '1',
  seconds: '60',
  destinationIds: [],
};

export function kindsOf(ofPlatform: boolean): readonly AlertKind[] {
  return ofPlatform ? PLATFORM_ALERT_KINDS : ORGANISATION_ALERT_KINDS;
}

export function ruleDraftOf({ name, condition, destinationIds }: rest.AlertRule): RuleDraft {
  const texts = Object.fromEntries(
    Object.entries(condition).map(([field, value]) => [
      field,
      Array.isArray(value) ? value.join(', ') : typeof value === 'number' ? String(value) : value,
    ]),
  );
  return { ...NEW_RULE, ...texts, kind: condition.kind, name, destinationIds };
}

/** `known`: the rule that is changed; what the form does not show stays. */
export function ruleBodyOf(draft: RuleDraft, known?: rest.AlertRule): RuleInput {
  const condition = { ...known?.condition, ...conditionOf(draft) };
  return { name: draft.name, condition, destinationIds: [...draft.destinationIds] };
}

function conditionOf(draft: RuleDraft): RuleInput['condition'] {
  const { kind, per, span } = draft;
  const number = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));
  switch (kind) {
    case 'BUDGET_USED':
    case 'QUOTA_USED':
      return { kind, thresholds: draft.thresholds.split(',').map(number) };
    case 'BUDGET_FORECAST':
      return { kind };
    case 'REQUESTS_REFUSED':
      return { kind, per, span, requests: number(draft.requests) };
    case 'PROVIDER_ERRORS':
      return {
        kind,
        span,
        percent: number(draft.percent),
        minimumRequests: number(draft.minimumRequests),
      };
    case 'PROVIDER_KEY_REFUSED':
    case 'UNPRICED_MODEL':
      return { kind, span };
    case 'LEDGER_QUARANTINE':
      return { kind, span, entries: number(draft.entries) };
    case 'LEDGER_LAG':
      return { kind, span, seconds: number(draft.seconds) };
  }
}
