import { absentDecision, NOT_KEPT_REASONS, type RequestDecision } from './decisions';

test('a decision that is not there says why', () => {
  const text = (state: RequestDecision['state'], reason: RequestDecision['reason']) =>
    absentDecision({ state, reason, keepDecisionsDays: 7 }).text;
  expect(text('REMOVED', null)).toContain('for 7 days');
  const texts = NOT_KEPT_REASONS.map((reason) => text('NOT_KEPT', reason));
  expect(new Set(texts).size).toBe(NOT_KEPT_REASONS.length);
});
