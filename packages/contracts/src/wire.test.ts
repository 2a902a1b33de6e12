import fc from 'fast-check';

import { codecs } from './generated/codecs';
import { PLAIN_DEFINITIONS } from './protos';
import { Reader, Writer } from './wire';

// What is encoded by code made for it is what the library would have read and written.

interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly typeName: string;
}

interface Message {
  readonly field: readonly Field[];
  readonly nestedType: readonly (Message & { readonly name: string })[];
  readonly oneofDecl: readonly unknown[];
}

interface Described {
  readonly type: Message;
  readonly serialize: (message: object) => Buffer;
  readonly deserialize: (bytes: Buffer) => object;
}

const described = new Map(
  Object.entries(PLAIN_DEFINITIONS).flatMap(([name, definition]) =>
    'format' in definition
      ? [[name.split('.').at(-1), definition as unknown as Described] as const]
      : [],
  ),
);

function messageNamed(name: string): Described {
  const found = described.get(name);
  if (found === undefined) throw new Error(`no message ${name}`);
  return found;
}

const text = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constant('x'.repeat(5_000)),
);
const scalars: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  TYPE_STRING: text,
  TYPE_BYTES: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  TYPE_BOOL: fc.boolean(),
  TYPE_INT32: fc.integer(),
  TYPE_UINT32: fc.nat(0xffff_ffff),
  TYPE_INT64: fc.oneof(fc.maxSafeInteger(), fc.nat(300)),
};

function scalarOf(type: string): fc.Arbitrary<unknown> {
  const scalar = scalars[type];
  if (scalar === undefined) throw new Error(`no arbitrary for ${type}`);
  return scalar;
}

function arbitrary({ field, nestedType, oneofDecl }: Message): fc.Arbitrary<object> {
  const valueOf = ({ type, typeName, label }: Field): fc.Arbitrary<unknown> => {
    const map = nestedType.find(({ name }) => name === typeName);
    if (map !== undefined) {
      const [, value] = map.field;
      const key = text.filter((name) => name !== '__proto__');
      return fc.dictionary(key, scalarOf(value?.type ?? ''), { maxKeys: 3 });
    }
    const one =
      type === 'TYPE_MESSAGE'
        ? arbitrary(messageNamed(typeName.split('.').at(-1) ?? '').type)
        : scalarOf(type);
    return label === 'LABEL_REPEATED' ? fc.array(one, { maxLength: 3 }) : one;
  };
  // Only messages stand in a oneof here, and of messages with one all that it holds.
  const [choices, plain] =
    oneofDecl.length === 0
      ? [[], field]
      : [
          field.filter(({ type }) => type === 'TYPE_MESSAGE'),
          field.filter(({ type }) => type !== 'TYPE_MESSAGE'),
        ];
  const fields = fc.record(Object.fromEntries(plain.map((one) => [one.name, valueOf(one)])), {
    requiredKeys: [],
  });
  if (choices.length === 0) return fields;
  const chosen = fc.oneof(
    fc.constant({}),
    ...choices.map((one) => valueOf(one).map((value) => ({ [one.name]: value }))),
  );
  return fc.tuple(fields, chosen).map(([a, b]) => ({ ...a, ...b }));
}

test.each(Object.keys(codecs) as (keyof typeof codecs)[])(
  '%s is read and written as the library does it',
  (name) => {
    const library = messageNamed(name);
    const { encode, decode } = codecs[name];
    fc.assert(
      fc.property(arbitrary(library.type), (message) => {
        const theirs = library.serialize(message);
        const meant = library.deserialize(theirs);
        expect(decode(theirs)).toStrictEqual(meant);
        const ours = encode(message);
        expect(library.deserialize(ours)).toStrictEqual(meant);
        expect(decode(ours)).toStrictEqual(meant);
      }),
      { numRuns: 60 },
    );
  },
);

test('a text that comes again, or at the place of another one, is read as it is', () => {
  const { encode, decode } = codecs.SessionReply;
  // The first two have one hash, the third and the fourth one length in bytes.
  const codes = ['Aa', 'BB', 'é', 'Ã', 'x'.repeat(16), 'x'.repeat(17), 'ab', 'ÿþ'];
  for (let round = 0; round < 5; round += 1) {
    for (const code of [...codes, ...codes.toReversed(), `once ${round}`]) {
      const { results } = decode(encode({ results: [{ failure: { code } }] }));
      expect(results[0]?.failure?.code).toBe(code);
    }
  }
});

test('whatever bytes come, a message or a RangeError is made of them', () => {
  const { encode, decode } = codecs.SessionReply;
  const whole = encode({
    results: [{ correlationId: 1, failure: { code: 'UNAVAILABLE', message: 'm'.repeat(200) } }],
    booked: [{ shard: 3, epoch: 1, booked: Number.MAX_SAFE_INTEGER }],
    reopenedShards: [1, 300],
  });
  const tryDecode = (bytes: Buffer): void => {
    try {
      decode(bytes);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  };
  for (let length = 0; length <= whole.length; length += 1) tryDecode(whole.subarray(0, length));
  fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), (b) => tryDecode(Buffer.from(b))));
  expect(() => decode(whole.subarray(0, whole.length - 1))).toThrow('truncated');
});

test('fields that a later version has added are passed over', () => {
  const writer = new Writer();
  writer.text((90 << 3) | 2, 'later');
  writer.int((91 << 3) | 0, -5);
  writer.bool(32, true);
  const reply = codecs.SessionReply.decode(writer.finish());
  expect(reply).toEqual({
    results: [],
    booked: [],
    reopenedShards: [],
    reopenedEpochs: [],
    adoptFloats: [],
    draining: true,
    sharedCleared: false,
    shared: [],
  });
  const fixed = new Reader(Buffer.from([1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4]));
  fixed.unknown((5 << 3) | 1);
  fixed.unknown((5 << 3) | 5);
  expect(fixed.at).toBe(fixed.end);
});

test('numbers are cut to whole ones as the library does it', () => {
  const booked = [{ shard: 1, epoch: 2.9, booked: Number.NaN }, { booked: '77' }];
  const { encode, decode } = codecs.SessionReply;
  const library = messageNamed('SessionReply');
  expect(decode(encode({ booked }))).toStrictEqual(
    library.deserialize(library.serialize({ booked })),
  );
});

test('a message that cannot be encoded leaves nothing for the next one', () => {
  const unprintable = {
    toString: (): string => {
      throw new Error('no number');
    },
  };
  const { encode, decode } = codecs.SessionReply;
  // Nothing like it is of the type: what any failure leaves behind is meant.
  expect(() => encode({ booked: [{ shard: 1, epoch: unprintable as unknown as number }] })).toThrow(
    'no number',
  );
  expect(decode(encode({ draining: true }))).toMatchObject({ booked: [], draining: true });
});
