import { rest } from '@tollgate/contracts';

import { NEW_RULE, ruleBodyOf, ruleDraftOf } from './rule-draft';

const rule = (condition: object): rest.AlertRule => ({
  id: '01a200b7-30ab-7031-b144-0a2f9f4d5a00',
  organisationId: null,
  name: 'a rule',
  condition: rest.alertCondition.parse(condition),
  destinationIds: [],
  status: 'ACTIVE',
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
});

test.each([
  { kind: 'BUDGET_USED', thresholds: [25, 95], scopeTypes: ['TEAM'], budgetId: null },
  { kind: 'BUDGET_FORECAST', scopeTypes: ['USER'], budgetId: null },
  { kind: 'QUOTA_USED', thresholds: [80], scopeTypes: null, quotaId: null },
  { kind: 'REQUESTS_REFUSED', requests: 7, per: 'ORGANISATION', span: 'DAY' },
  { kind: 'PROVIDER_KEY_REFUSED', span: 'HOUR' },
  { kind: 'PROVIDER_ERRORS', percent: 5, minimumRequests: 9, span: 'DAY' },
  { kind: 'UNPRICED_MODEL', span: 'DAY' },
  { kind: 'LEDGER_QUARANTINE', entries: 3, span: 'HOUR' },
  { kind: 'LEDGER_LAG', seconds: 30, span: 'DAY' },
])('a form that changes nothing sends the condition as it was: $kind', (condition) => {
  const known = rule(condition);
  expect(ruleBodyOf(ruleDraftOf(known), known).condition).toEqual(condition);
});

test('what is typed as thresholds is sent as numbers', () => {
  const draft = { ...NEW_RULE, name: 'x', thresholds: '10,  20' };
  expect(ruleBodyOf(draft)).toEqual({
    name: 'x',
    condition: { kind: 'BUDGET_USED', thresholds: [10, 20] },
    destinationIds: [],
  });
});
