import { reasonWords, stateWords } from './state-words';

const NOW = '2026-03-01T12:00:00.000Z';
const nowMs = Date.parse(NOW);
const LATER = '2026-03-01T12:00:30.000Z';
const BEFORE = '2026-03-01T11:59:59.000Z';
const of = (over: Partial<Parameters<typeof stateWords>[0]>) =>
  stateWords({ state: 'CLOSED', openUntil: null, cooldownUntil: null, ...over }, nowMs);

test('an open breaker leaves the upstream out until its time', () => {
  expect(of({ state: 'OPEN', openUntil: LATER })).toEqual({
    label: 'left out',
    tone: 'bad',
    until: LATER,
  });
});

test('once its time is over the next request probes it', () => {
  expect(of({ state: 'OPEN', openUntil: BEFORE }).label).toBe('on probation');
  expect(of({ state: 'HALF_OPEN', openUntil: LATER }).label).toBe('on probation');
});

test('a cooldown holds until its end, and then no more', () => {
  expect(of({ cooldownUntil: LATER })).toMatchObject({ label: 'cooling down', until: LATER });
  expect(of({ cooldownUntil: BEFORE })).toMatchObject({ label: 'in use', until: null });
});

test('what an attempt came to is said in words, and unknown words as they are', () => {
  expect(reasonWords('HTTP_503')).toBe('responded with 503');
  expect(reasonWords('NETWORK')).toBe('could not be reached');
  expect(reasonWords('NEW_WORD')).toBe('NEW_WORD');
  expect(reasonWords(null)).toBeUndefined();
});
