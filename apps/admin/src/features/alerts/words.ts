import type { AlertDestinationKind, AlertKind, rest } from '@tollgate/contracts';

import { plural, showCount, showPart } from '../../format/numbers';

/** What rules and destinations are called. Pure. */

export const ALERT_WORDS: Readonly<Record<AlertKind, string>> = {
  BUDGET_USED: 'Budget used',
  BUDGET_FORECAST: 'Budget will not last',
  QUOTA_USED: 'Quota used',
  REQUESTS_REFUSED: 'Requests refused',
  PROVIDER_KEY_REFUSED: 'Provider refuses its key',
  PROVIDER_ERRORS: 'Provider fails',
  UNPRICED_MODEL: 'Model without a price',
  LEDGER_QUARANTINE: 'Ledger entries in quarantine',
  LEDGER_LAG: 'Ledger lags',
};

export const DESTINATION_WORDS: Readonly<Record<AlertDestinationKind, string>> = {
  EMAIL: 'Mail',
  WEBHOOK: 'Webhook',
  SLACK: 'Slack',
};

/** "At 50%, 80%, 100% of the limit". */
export function conditionWords(condition: rest.AlertCondition): string {
  switch (condition.kind) {
    case 'BUDGET_USED':
    case 'QUOTA_USED':
      return `At ${condition.thresholds.map((percent) => showPart(percent / 100)).join(', ')} of the limit`;
    case 'BUDGET_FORECAST':
      return 'When it will be spent before its window ends';
    case 'REQUESTS_REFUSED':
      return `From ${plural(condition.requests, 'request')} ${spanWords(condition.span)}, for each ${
        condition.per === 'API_KEY' ? 'key' : 'organisation'
      }`;
    case 'PROVIDER_ERRORS':
      return `From ${showPart(condition.percent / 100)} of at least ${showCount(condition.minimumRequests)} requests ${spanWords(condition.span)}`;
    case 'PROVIDER_KEY_REFUSED':
    case 'UNPRICED_MODEL':
      return `At most once ${spanWords(condition.span)}`;
    case 'LEDGER_QUARANTINE':
      return `From ${plural(condition.entries, 'open entry', 'open entries')} on`;
    case 'LEDGER_LAG':
      return `From ${plural(condition.seconds, 'second')} on`;
  }
}

function spanWords(span: 'HOUR' | 'DAY'): string {
  return span === 'HOUR' ? 'in an hour' : 'in a day';
}

/** "2 delivered, 1 failed"; "none" without a destination. */
export function deliveryWords(deliveries: rest.Alert['deliveries']): string {
  const parts = Object.entries(deliveries).filter(([, count]) => count > 0);
  return parts.map(([status, count]) => `${count} ${status}`).join(', ') || 'none';
}
