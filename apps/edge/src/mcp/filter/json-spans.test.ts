import fc from 'fast-check';

import { documentSpan, elementsOf, membersOf, type Span } from './json-spans';

/** Builds the value again from the spans alone. */
function rebuilt(text: string, span: Span): unknown {
  const members = membersOf(text, span);
  if (members) {
    const rows = members.map(({ name, value }) => [name, rebuilt(text, value)]);
    return Object.fromEntries(rows) as unknown;
  }
  const elements = elementsOf(text, span);
  if (elements) return elements.map((element) => rebuilt(text, element));
  return JSON.parse(text.slice(span.start, span.end)) as unknown;
}

test('the spans of any document lead to its parts', () => {
  const strings = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\\', '"', '\\"', '{[,:]}'),
  );
  const documents = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.jsonValue({ maxDepth: 0 }),
      strings,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(strings, tie('value'), { maxKeys: 3 }),
    ),
  })).value;
  const spaces = fc.constantFrom('', ' ', '\n\t', '\r\n ');
  fc.assert(
    fc.property(documents, fc.constantFrom(0, 1, '\t'), spaces, (value, indent, around) => {
      const text = `${around}${JSON.stringify(value, null, indent)}${around}`;
      expect(rebuilt(text, documentSpan(text))).toEqual(JSON.parse(text));
    }),
  );
});

test('a name that occurs twice is found twice', () => {
  const text = '{"a":1,"\\u0061":2}';
  expect(membersOf(text, documentSpan(text))).toEqual([
    { name: 'a', value: { start: 5, end: 6 } },
    { name: 'a', value: { start: 16, end: 17 } },
  ]);
});

test('a long list is read in a time that grows with its length only', () => {
  const text = `[${'{"name":"\\\\\\\\\\""},'.repeat(100_000)}0]`;
  expect(elementsOf(text, documentSpan(text))).toHaveLength(100_001);
});
