import { maskedWords, missingWords, neverKept, prettyBody } from './body-words';

const ABSENT = { kept: false, leftOut: null, partial: false };

test('a missing body says why', () => {
  expect(missingWords(ABSENT)).toBe('Not kept.');
  expect(missingWords({ ...ABSENT, leftOut: 'QUEUE_FULL' })).toBe('Not kept: queue full.');
});

test('requests that are never kept are told from those that might have been', () => {
  const record = { mcp: null, operation: 'chat', shadowOf: null };
  expect(neverKept(record, 'passthrough')).toBeUndefined();
  expect(neverKept({ ...record, operation: 'passthrough' }, 'passthrough')).toContain(
    'passthrough',
  );
  expect(neverKept({ ...record, shadowOf: 'request' }, 'passthrough')).toContain('shadows');
});

test('JSON is shown in lines, other texts as they are', () => {
  expect(prettyBody('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(prettyBody('WEBVTT')).toBe('WEBVTT');
});

test('what was masked is counted by kind', () => {
  expect(
    maskedWords([
      { label: 'EMAIL', count: 2 },
      { label: 'API_KEY', count: 1 },
    ]),
  ).toBe('EMAIL 2, API_KEY 1');
});
