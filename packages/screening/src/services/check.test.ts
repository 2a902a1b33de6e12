import { createFindings, MOST_FINDINGS, type Check } from './check';

const checkOf = (...texts: string[]): Check => ({
  requestId: 'r',
  rule: { policy: 'p', id: 'one', version: 1 },
  texts: texts.map((text, at) => ({ id: `t${at}`, place: 'INPUT', role: 'user', text })),
});

test('findings count code points of their own text', () => {
  const findingAt = createFindings(checkOf('🙂 ana', 'plain'));
  expect(findingAt(0, [2, 5], 'person')).toEqual({ text: 0, start: 3, end: 6, label: 'PERSON' });
  expect(findingAt(1, [0, 5], 'x')).toEqual({ text: 1, start: 0, end: 5, label: 'X' });
  expect(() => findingAt(1, [0, 6], 'x')).toThrow('outside');
  expect(() => findingAt(2, [0, 1], 'x')).toThrow('no text');
});

test('a text is read once, however many findings it has, and those of all texts are bounded', () => {
  const check = checkOf('a', 'b');
  let reads = 0;
  const text = '🙂'.repeat(100);
  const [first, second] = check.texts;
  const counted = {
    ...first,
    get text() {
      reads += 1;
      return text;
    },
  };
  const findingAt = createFindings({ ...check, texts: [counted, second] as Check['texts'] });
  const half = MOST_FINDINGS / 2;
  const iterator = jest.spyOn(String.prototype, Symbol.iterator as never);
  for (let at = 0; at < half; at += 1) findingAt(0, [0, 1], 'x');
  const times = iterator.mock.calls.length;
  iterator.mockRestore();
  expect(times).toBeLessThanOrEqual(1);
  expect(reads).toBeGreaterThan(0);
  for (let at = 0; at < half; at += 1) findingAt(1, [0, 1], 'x');
  expect(() => findingAt(1, [0, 1], 'x')).toThrow('too many');
});
