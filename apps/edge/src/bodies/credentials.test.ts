import fc from 'fast-check';

import { CREDENTIAL, withoutCredentials } from './credentials';

test.each([
  [
    'within a text of a document',
    String.raw`{"calls":[{"arguments":"{\"user\":\"root\",\"password\":\"hunter2\"}"}],"x":"cut`,
    String.raw`{"calls":[{"arguments":"{\"user\":\"root\",\"password\":\"${CREDENTIAL}\"}"}],"x":"cut`,
  ],
  [
    'in a list',
    '{"set-cookie":["sid=hunter2]; Path=/","b"],"b":"cut',
    `{"set-cookie":"${CREDENTIAL}","b":"cut`,
  ],
  [
    'with a quote in it',
    String.raw`x {\"password\":\"hun\\\"ter2\",\"b\":1} "c`,
    String.raw`x {\"password\":\"${CREDENTIAL}\",\"b\":1} "c`,
  ],
  [
    'with a backslash at its end',
    String.raw`{"password":"hunter2\\","b":"cut`,
    `{"password":"${CREDENTIAL}","b":"cut`,
  ],
  [
    'in headers',
    '{"headers":{"x":{"y":"hunter2"}},"b":"cut',
    `{"headers":"${CREDENTIAL}","b":"cut`,
  ],
  ['that is cut off', '{"headers":{"x":["hunter2", "a', `{"headers":"${CREDENTIAL}"`],
  [
    'of an inner document that ends',
    String.raw`"{\"api_key\":\"hun" and`,
    String.raw`"{\"api_key\":\"${CREDENTIAL}\"" and`,
  ],
  ['none', '{"headers": 3, "password": {"type": "string"}, "cut', undefined],
  ['none either', '"password" of the user', undefined],
])('a credential %s', (_where, text, expected = text) => {
  expect(withoutCredentials(text)).toBe(expected);
});

test('a document that is cut off anywhere, at any depth, shows no credential', () => {
  const names = fc.constantFrom('password', 'api-key', 'Authorization', 'client_secret', 'cookie');
  const secrets = fc
    .tuple(
      fc.string({ unit: fc.constantFrom('"', '\\', 'a', ']', '}', ',', ' ', 'é'), maxLength: 6 }),
    )
    .map(([more]) => `SECRET${more}SECRET`);
  const values = fc.oneof(secrets, fc.array(secrets, { minLength: 1, maxLength: 3 }));
  const given = fc.record({
    before: fc.string({ maxLength: 8 }),
    name: names,
    value: values,
    headers: fc.boolean(),
    depth: fc.integer({ min: 0, max: 3 }),
    cut: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(given, ({ before, cut, depth, headers, name, value }) => {
      let text = JSON.stringify({
        before,
        [headers ? 'headers' : name]: headers ? { value } : value,
        after: [1],
      });
      for (let at = 0; at < depth; at += 1)
        text = JSON.stringify({ before, arguments: text, after: 'b' });
      text = text.slice(0, Math.ceil(cut * text.length));
      const written = withoutCredentials(text);
      expect(written).not.toContain('SECRET');
      if (!text.includes('SECRET'))
        expect(written.length).toBeLessThan(text.length + 3 * CREDENTIAL.length);
    }),
    { numRuns: 3_000 },
  );
});

// Each takes milliseconds; where a position is looked at twice, this test takes minutes.
test.each([
  ['backslashes', `"${'\\'.repeat(500_000)}x`, false],
  ['backslashes in a list', `"password":[${'\\'.repeat(500_000)}x`, true],
  ['names', '"password"'.repeat(50_000), false],
  ['open lists', '"password":['.repeat(50_000), true],
  ['open strings', String.raw`\"password\":\"`.repeat(50_000), true],
])('a long text of %s is read once', (_what, text, hides) => {
  expect(withoutCredentials(text).includes(CREDENTIAL)).toBe(hides);
});
