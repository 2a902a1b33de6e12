// What alerts are about: kinds of rules, their destinations, and the parts of a window that count.

/** Conditions that a rule of an organisation may watch. */
export const ORGANISATION_ALERT_KINDS = [
  'BUDGET_USED',
  'BUDGET_FORECAST',
  'QUOTA_USED',
  'REQUESTS_REFUSED',
  'PROVIDER_KEY_REFUSED',
  'PROVIDER_ERRORS',
  'UNPRICED_MODEL',
] as const;

/** Conditions of the whole installation. */
export const PLATFORM_ALERT_KINDS = ['LEDGER_QUARANTINE', 'LEDGER_LAG'] as const;

export const ALERT_KINDS = [...ORGANISATION_ALERT_KINDS, ...PLATFORM_ALERT_KINDS] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** How often a condition that is not a limit's may raise an alert: once an hour, or once a day. */
export const ALERT_SPANS = ['HOUR', 'DAY'] as const;
export type AlertSpan = (typeof ALERT_SPANS)[number];

export const ALERT_DESTINATION_KINDS = ['EMAIL', 'WEBHOOK', 'SLACK'] as const;
export type AlertDestinationKind = (typeof ALERT_DESTINATION_KINDS)[number];

export const ALERT_SUBJECT_TYPES = [
  'BUDGET',
  'QUOTA',
  'ORGANISATION',
  'API_KEY',
  'PROVIDER',
  'MODEL',
  'LEDGER',
] as const;
export type AlertSubjectType = (typeof ALERT_SUBJECT_TYPES)[number];

/** SUPPRESSED: the destination had too many messages within an hour. */
export const ALERT_DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED', 'SUPPRESSED'] as const;
export type AlertDeliveryStatus = (typeof ALERT_DELIVERY_STATUSES)[number];

/** Before this part of a window has passed, a forecast of its spending is meaningless. */
export const FORECAST_FROM_PART = 0.05;
