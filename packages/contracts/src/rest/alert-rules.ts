import { z } from 'zod';

import { ALERT_SPANS } from '../alerts';
import { LIMIT_SCOPES } from '../enums';
import { id, instant, name, page, patchOf, SWITCH_STATUSES } from './fields';

/** Alert rules: conditions of an organisation and of the platform. */

/** The most destinations and rules of an organisation, and of the platform. */
export const MAX_ALERT_DESTINATIONS = 20;
export const MAX_ALERT_RULES = 50;
/** The most tests of one destination in an hour. */
export const ALERT_TESTS_PER_HOUR = 10;
/** The most messages to one destination in an hour; later ones are only in the log. */
export const ALERT_MESSAGES_PER_HOUR = 100;

const status = z.enum(SWITCH_STATUSES);

const percent = z.int().min(1).max(1_000);
const thresholds = z
  .array(percent)
  .min(1)
  .max(5)
  .refine((given) => new Set(given).size === given.length, 'each threshold once')
  .meta({ description: 'Percentages of the limit.' });
const scopeTypes = z
  .array(z.enum(LIMIT_SCOPES))
  .min(1)
  .max(LIMIT_SCOPES.length)
  .nullable()
  .default(null)
  .meta({ description: 'Only limits of these scopes. Null: all.' });
const span = (preset: (typeof ALERT_SPANS)[number]) =>
  z.enum(ALERT_SPANS).default(preset).meta({
    description: 'The window that is counted, and for which there is one alert.',
  });
const one = id.nullable().default(null);

export const organisationAlertCondition = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('BUDGET_USED'),
      thresholds: thresholds.default([50, 80, 100]),
      scopeTypes,
      budgetId: one.meta({ description: 'Only this budget. Null: all.' }),
    }),
    z.strictObject({
      kind: z.literal('BUDGET_FORECAST'),
      scopeTypes,
      budgetId: one.meta({ description: 'Only this budget. Null: all.' }),
    }),
    z.strictObject({
      kind: z.literal('QUOTA_USED'),
      thresholds: thresholds.default([80, 100]),
      scopeTypes,
      quotaId: one.meta({ description: 'Only this quota. Null: all.' }),
    }),
    z.strictObject({
      kind: z.literal('REQUESTS_REFUSED'),
      requests: z.int().min(1).max(1_000_000_000).default(20),
      per: z
        .enum(['API_KEY', 'ORGANISATION'])
        .default('API_KEY')
        .meta({ description: 'Whose refused requests are added up.' }),
      span: span('HOUR'),
    }),
    z.strictObject({ kind: z.literal('PROVIDER_KEY_REFUSED'), span: span('DAY') }),
    z.strictObject({
      kind: z.literal('PROVIDER_ERRORS'),
      percent: z.int().min(1).max(100).default(20),
      minimumRequests: z.int().min(1).max(1_000_000_000).default(20).meta({
        description: 'With fewer requests in the span there is no alert.',
      }),
      span: span('HOUR'),
    }),
    z.strictObject({ kind: z.literal('UNPRICED_MODEL'), span: span('DAY') }),
  ])
  .meta({ id: 'OrganisationAlertCondition' });

export const platformAlertCondition = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('LEDGER_QUARANTINE'),
      entries: z.int().min(1).max(1_000_000).default(1).meta({ description: 'Open entries.' }),
      span: span('DAY'),
    }),
    z.strictObject({
      kind: z.literal('LEDGER_LAG'),
      seconds: z.int().min(1).max(86_400).default(60),
      span: span('HOUR'),
    }),
  ])
  .meta({ id: 'PlatformAlertCondition' });

export const alertCondition = z.discriminatedUnion('kind', [
  organisationAlertCondition,
  platformAlertCondition,
]);
export type AlertCondition = z.output<typeof alertCondition>;

export const alertRule = z
  .object({
    id,
    organisationId: id.nullable().meta({ description: 'Null: of the platform.' }),
    name: z.string(),
    condition: alertCondition,
    destinationIds: z.array(id),
    status: status.meta({ description: 'A disabled rule raises no alerts.' }),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'AlertRule' });
export type AlertRule = z.output<typeof alertRule>;

const ruleSettings = {
  name,
  destinationIds: z.array(id).max(MAX_ALERT_DESTINATIONS).meta({
    description: 'Where its messages go. Empty: alerts are only in the log.',
  }),
  status,
};
const newRule = {
  name,
  destinationIds: ruleSettings.destinationIds.default([]),
  status: status.default('ACTIVE'),
};
const KIND_STAYS = "The kind of a rule's condition never changes.";

export const alertRuleCreate = z
  .strictObject({ ...newRule, condition: organisationAlertCondition })
  .meta({ id: 'AlertRuleCreate' });
export type AlertRuleCreate = z.output<typeof alertRuleCreate>;

export const platformAlertRuleCreate = z
  .strictObject({ ...newRule, condition: platformAlertCondition })
  .meta({ id: 'PlatformAlertRuleCreate' });
export type PlatformAlertRuleCreate = z.output<typeof platformAlertRuleCreate>;

export const alertRulePatch = patchOf({
  ...ruleSettings,
  condition: organisationAlertCondition,
}).meta({ id: 'AlertRulePatch', description: KIND_STAYS });
export type AlertRulePatch = z.output<typeof alertRulePatch>;

export const platformAlertRulePatch = patchOf({
  ...ruleSettings,
  condition: platformAlertCondition,
}).meta({ id: 'PlatformAlertRulePatch', description: KIND_STAYS });
export type PlatformAlertRulePatch = z.output<typeof platformAlertRulePatch>;

export const recommendedAlertRules = z
  .strictObject({ destinationIds: ruleSettings.destinationIds })
  .meta({ id: 'RecommendedAlertRules' });

export const alertRules = page(alertRule);
