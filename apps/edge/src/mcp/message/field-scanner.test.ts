import fc from 'fast-check';

import { createFieldScanner } from './field-scanner';

type Read = [parent: string | undefined, name: string, value: unknown];

/** Reads a document in the given pieces, and every field of it. */
function fieldsOf(pieces: readonly Buffer[]): { read: Read[]; complete: boolean } {
  const read: Read[] = [];
  const scanner = createFieldScanner({
    field: () => true,
    value: (parent, name, json) => {
      read.push([parent, name, json === undefined ? undefined : JSON.parse(json)]);
    },
  });
  for (const piece of pieces) scanner.push(piece, 0, piece.length);
  return { read, complete: scanner.complete() };
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length));
}

/** What the fields are by `JSON.parse`, with containers as undefined. */
function expected(document: Record<string, unknown>): Read[] {
  const rows: Read[] = [];
  const shown = (value: unknown): unknown =>
    typeof value === 'object' && value !== null ? undefined : value;
  for (const [name, value] of Object.entries(document)) {
    rows.push([undefined, name, shown(value)]);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    for (const [inner, below] of Object.entries(value)) rows.push([name, inner, shown(below)]);
  }
  return rows;
}

const key = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('id', 'result', 'a"b\\', ''),
);
const inner = fc.dictionary(key, fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.string()));
const documents = fc.dictionary(key, fc.oneof(inner, fc.jsonValue({ maxDepth: 4 })));

test('the fields of two levels are those of the document, wherever it is cut', () => {
  fc.assert(
    fc.property(
      documents,
      fc.array(fc.nat(), { maxLength: 12 }),
      fc.constantFrom(0, 2),
      (document, places, indent) => {
        const bytes = Buffer.from(JSON.stringify(document, null, indent));
        const { read, complete } = fieldsOf(cut(bytes, places));
        const once: unknown = JSON.parse(bytes.toString('utf8'));
        expect(read).toEqual(expected(once as Record<string, unknown>));
        expect(complete).toBe(true);
      },
    ),
  );
});

test('bytes that are no JSON end without an error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const scanner = createFieldScanner({ field: () => true, value: () => undefined });
      scanner.push(Buffer.from(bytes), 0, bytes.length);
      return typeof scanner.complete() === 'boolean';
    }),
  );
});

test('an unfinished document is not complete', () => {
  expect(fieldsOf([Buffer.from('{"id":1,"result":{"a":')]).complete).toBe(false);
});

test('a value that is too long to keep is told as unreadable, and the fields after it are read', () => {
  const long = 'x'.repeat(20_000);
  const { read } = fieldsOf([Buffer.from(JSON.stringify({ id: long, after: 7 }))]);
  expect(read).toEqual([
    [undefined, 'id', undefined],
    [undefined, 'after', 7],
  ]);
});

test('fields below a name that is too long are not taken for those of the root', () => {
  const { read } = fieldsOf([Buffer.from(`{"${'x'.repeat(600)}":{"id":5},"id":6}`)]);
  expect(read).toEqual([[undefined, 'id', 6]]);
});
