import fc from 'fast-check';

import { screeningOf, sent, user } from './test-support';

const PERSONAL = { kind: 'PERSONAL_DATA' };
const TEXT =
  'Ana (ana@example.org, +49 30 901820) paid DE89 3704 0044 0532 0130 00 with 4111 1111 1111 1111, not ana@example.org.';
const MASKED = 'Ana (<EMAIL_1>, <PHONE_1>) paid <IBAN_1> with <CARD_1>, not <EMAIL_1>.';

test('the same text has the same placeholder, in requests and answers', () => {
  const screening = screeningOf(PERSONAL);
  expect(screening.input(user(TEXT))).toBe(MASKED);
  expect(screening.evidence()).toBe('house/rule-1;v=3;in=input;action=mask;hits=5');
});

test('an answer that is split anywhere is masked as a whole one', () => {
  for (let at = 0; at <= TEXT.length; at += 1) {
    const pieces = [TEXT.slice(0, at), TEXT.slice(at)];
    expect(sent(screeningOf(PERSONAL), pieces)).toBe(MASKED);
  }
  expect(sent(screeningOf(PERSONAL), TEXT.split(''))).toBe(MASKED);
});

test('any splits of any texts give what the whole text gives', () => {
  const word = fc.constantFrom(
    'ana@example.org',
    'sk-',
    'project x',
    'https://evil.example/a',
    '4111111111111111',
    'a',
    'Ünï',
    '\u200b',
    '+1 415',
    '555-2671',
    '<EMAIL_1>',
    ' ',
    '\n',
    '.',
  );
  const rules = [
    PERSONAL,
    { kind: 'KEYWORDS', keywords: ['project x', 'Ünï'] },
    { kind: 'URLS', mode: 'DENY', domains: ['evil.example'] },
    { kind: 'INVISIBLE_TEXT' },
    { kind: 'SECRETS' },
  ];
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 12 }),
      fc.array(fc.nat(200), { maxLength: 8 }),
      (words, cuts) => {
        const text = words.join('');
        const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)), text.length].toSorted(
          (a, b) => a - b,
        );
        const pieces = places.slice(1).map((end, at) => text.slice(places[at], end));
        expect(sent(screeningOf(...rules), pieces)).toBe(sent(screeningOf(...rules), [text]));
      },
    ),
    { numRuns: 500 },
  );
});

test('masked texts come back in the answer, across pieces and in JSON', () => {
  const screening = screeningOf({
    kind: 'KEYWORDS',
    keywords: ['the "big" deal'],
    wholeWords: false,
  });
  expect(screening.input(user('about the "big" deal'))).toBe('about <KEYWORD_1>');
  expect(sent(screening, ['So <KEY', 'WORD_', '1> it is'])).toBe('So the "big" deal it is');
  const channel = screening.answer({ place: 'TOOL_ARGUMENTS', json: true });
  const pieces = ['{"q":"\\u003cKEYWORD', '_1>"}'].map((piece) => channel.push(piece));
  channel.flush();
  const json = pieces.map(({ edited }) => edited).join('');
  expect(JSON.parse(json)).toEqual({ q: 'the "big" deal' });
});

test('a placeholder that the client wrote is not given to another text, nor put back', () => {
  const screening = screeningOf(PERSONAL);
  const text = 'keep <EMAIL_1>, hide ana@example.org';
  screening.reserve(text);
  expect(screening.input(user(text))).toBe('keep <EMAIL_1>, hide <EMAIL_2>');
  expect(sent(screening, ['<EMAIL_1> <EMAIL_2>'])).toBe('<EMAIL_1> ana@example.org');
});

test('placeholders that begin alike are put back each for its own text, wherever they are split', () => {
  const addresses = Array.from({ length: 12 }, (_, at) => `person-${at + 1}@example.org`);
  const answer = 'ask <EMAIL_1>, not <EMAIL_11> or <EMAIL_12>';
  const restored = `ask ${addresses[0]}, not ${addresses[10]} or ${addresses[11]}`;
  for (let at = 0; at <= answer.length; at += 1) {
    const screening = screeningOf({ ...PERSONAL, where: ['INPUT'] });
    screening.input(user(addresses.join(' ')));
    expect(sent(screening, [answer.slice(0, at), answer.slice(at)])).toBe(restored);
  }
});

test('without restore the answer keeps its placeholders', () => {
  const screening = screeningOf({ ...PERSONAL, restore: false });
  screening.input(user('ana@example.org'));
  expect(sent(screening, ['<EMAIL_1>'])).toBe('<EMAIL_1>');
});

test('a rule without roles reads the new turn only, unless it masks', () => {
  const blocks = screeningOf({ ...PERSONAL, action: 'BLOCK' });
  blocks.input(user('ana@example.org', false));
  expect(blocks.blocked()).toBeUndefined();
  blocks.input(user('ana@example.org', true));
  expect(blocks.blocked()).toMatchObject({ place: 'INPUT', named: { rule: { id: 'rule-1' } } });
  expect(screeningOf(PERSONAL).input(user('ana@example.org', false))).toBe('<EMAIL_1>');
});

test('a rule that observes changes nothing', () => {
  const screening = screeningOf({ ...PERSONAL, action: 'OBSERVE' });
  expect(screening.input(user(TEXT))).toBe(TEXT);
  expect(sent(screening, [TEXT])).toBe(TEXT);
  expect(screening.blocked()).toBeUndefined();
  expect(screening.evidence()).toContain('action=observe;hits=5');
});

test('requests beside the sample are not looked at', () => {
  const screening = screeningOf({ ...PERSONAL, action: 'OBSERVE', sample: 0.4 });
  screening.input(user(TEXT));
  expect(screening.evidence()).toBe('');
});

test('a size is that of all texts of a place', () => {
  const screening = screeningOf({ kind: 'SIZE', action: 'BLOCK', maxCharacters: 10 });
  screening.input(user('12345678'));
  expect(screening.blocked()).toBeUndefined();
  screening.input(user('901'));
  expect(screening.blocked()).toBeDefined();
});

test('only an open match is withheld', () => {
  const screening = screeningOf({ kind: 'KEYWORDS', action: 'BLOCK', keywords: ['project x'] });
  const channel = screening.answer({ place: 'OUTPUT', json: false });
  const [one, two, three] = ['The ', 'pro', 'gram'].map((text) => channel.push(text));
  expect([one?.edited, two?.edited, three?.edited]).toEqual(['The ', 'pro', 'gram']);
  const open = channel.push(' proj');
  expect(open.edited).toBeUndefined();
  channel.push('ects');
  expect(open.edited).toBe(' proj');
});

test('what a flush let go still completes a hit', () => {
  const screening = screeningOf({ kind: 'KEYWORDS', action: 'BLOCK', keywords: ['project x'] });
  const channel = screening.answer({ place: 'OUTPUT', json: false });
  const first = channel.push('project');
  channel.flush();
  expect(first.edited).toBe('project');
  channel.push(' x ');
  expect(screening.blocked()).toBeDefined();
});

describe('the arguments of a tool, which are a JSON text', () => {
  const text = JSON.stringify({
    to: 'Hi\nana@example.org',
    note: 'caf\u00e9 "x" \\n',
    cut: 'é',
  }).replace('é', '\\u00e9');
  const through = (pieces: readonly string[]): string => {
    const screening = screeningOf(PERSONAL, { kind: 'KEYWORDS', keywords: ['café'] });
    const channel = screening.answer({ place: 'TOOL_ARGUMENTS', json: true });
    const given = pieces.map((piece) => channel.push(piece));
    channel.flush();
    return given.map(({ edited }) => edited ?? '(undecided)').join('');
  };

  test('stay valid when they are masked, wherever they are split', () => {
    const expected = { to: 'Hi\n<EMAIL_1>', note: '<KEYWORD_1> "x" \\n', cut: 'é' };
    for (let at = 0; at <= text.length; at += 1) {
      expect(JSON.parse(through([text.slice(0, at), text.slice(at)]))).toEqual(expected);
    }
    expect(JSON.parse(through(text.split('')))).toEqual(expected);
  });

  test('go on unchanged without a hit, even if they are no JSON', () => {
    for (const given of ['{"a":"\\u00e9\\n\\""}', '\\', 'a\\u12', '\\uZZZZ']) {
      expect(through(given.split(''))).toBe(given);
    }
  });
});

test('a pattern withholds its window until nothing follows for a while', () => {
  const rule = { kind: 'REGEX', patterns: [{ name: 'TICKET', pattern: 'T-\\d+' }] };
  const channel = screeningOf(rule).answer({ place: 'OUTPUT', json: false });
  const piece = channel.push('see T-1234 for more');
  expect(piece.edited).toBeUndefined();
  channel.idle();
  expect(piece.edited).toBe('see <TICKET_1> for more');
});

test('what no rule can read is refused or recorded, as each rule says', () => {
  const passes = screeningOf({ ...PERSONAL, action: 'BLOCK', onError: 'PASS' });
  passes.unreadable('INPUT');
  expect(passes.blocked()).toBeUndefined();
  expect(passes.evidence()).toContain('failed=1');
  const refuses = screeningOf({ ...PERSONAL, action: 'BLOCK' });
  refuses.unreadable('INPUT');
  expect(refuses.blocked()).toMatchObject({ cause: 'UNREADABLE' });
});

describe('masked texts that overlap', () => {
  const keywords = (...words: string[]) => ({
    kind: 'KEYWORDS',
    keywords: words,
    wholeWords: false,
  });

  test.each([
    [[keywords('project blue'), keywords('blue secret launch')], 'project blue secret launch'],
    [[keywords('call jane'), { kind: 'PERSONAL_DATA' }], 'call jane.doe@example.org'],
    [[keywords('acme', 'acme merger price')], 'acme merger price'],
    [[keywords('merger price', 'acme merger')], 'acme merger price'],
  ])('%j leave nothing of %j', (rules, secret) => {
    const screening = screeningOf(...rules);
    expect(screening.input(user(`see ${secret} now`))).toBe('see <KEYWORD_1> now');
    expect(sent(screening, ['<KEYWORD_1>'])).toBe(secret);
    expect(sent(screeningOf(...rules), `see ${secret} now`.split(''))).toBe('see <KEYWORD_1> now');
  });

  test('are masked whole, whatever the words and the pieces are', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 2, maxLength: 5 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' '), maxLength: 30 });
    fc.assert(
      fc.property(fc.uniqueArray(word, { minLength: 2, maxLength: 4 }), text, (words, given) => {
        const rules = words.map((one) => keywords(one));
        const masked = screeningOf(...rules).input(user(given));
        // What stays beside placeholders is what no occurrence covers.
        const covered = new Set<number>();
        for (const one of words) {
          for (let at = given.indexOf(one); at >= 0; at = given.indexOf(one, at + one.length)) {
            for (let n = 0; n < one.length; n += 1) covered.add(at + n);
          }
        }
        const stays = given
          .split('')
          .filter((_, at) => !covered.has(at))
          .join('');
        expect(masked.replaceAll(/<KEYWORD_\d+>/g, '')).toBe(stays);
        expect(sent(screeningOf(...rules), given.split(''))).toBe(masked);
      }),
      { numRuns: 300 },
    );
  });

  test('without end are masked in parts, so that little is held', () => {
    const screening = screeningOf(keywords('xyz', 'zx'), keywords('yzx'));
    const channel = screening.answer({ place: 'OUTPUT', json: false });
    const first = channel.push('xyz'.repeat(8_000));
    for (let at = 0; at < 4; at += 1) channel.push('xyz'.repeat(2_500));
    expect(first.edited).toMatch(/^<KEYWORD_\d+>/);
    expect(first.edited).not.toContain('xyz');
  });
});

test('texts that an answer got back are masked again, also where they are escaped or cut', () => {
  const rule = {
    kind: 'KEYWORDS',
    keywords: ['a "b"', 'a "b" c'],
    wholeWords: false,
    action: 'MASK',
  };
  const screening = screeningOf({ ...rule, restore: true });
  expect(screening.hide('nothing to hide')).toBe('nothing to hide');
  screening.input(user('a "b" and a "b" c'));
  const hidden = screening.hide('say a "b" c, a "b" and {"x":"a \\"b\\" c"}') ?? '';
  expect(hidden).not.toContain('b');
  expect(hidden).toMatch(/^say <KEYWORD_\d>, <KEYWORD_\d> and \{"x":"<KEYWORD_\d>"\}$/);
  // It may end within one of them.
  expect(screening.hide('a long text that ends with a "', true)).not.toContain('"');
});

test('nothing is written of a text with more masked texts than can be looked for', () => {
  const screening = screeningOf({ kind: 'PERSONAL_DATA' });
  const mails = Array.from({ length: 257 }, (_, at) => `a${at}@example.org`);
  screening.input(user(mails.join(' ')));
  expect(screening.hide('a1@example.org')).toBeUndefined();
});
