import type { ScreeningRule } from '@tollgate/contracts';
import { createProgram, createScreening } from '@tollgate/screening';

import type { EndedBodies, UnmaskedBody } from '../exchange/kept-bodies';
import { FORMATS, type NormalisedResponse } from '../formats';
import { createByteBudget } from '../intake';
import { createTurns } from '../screening';
import { maskBodies } from './mask';

const MAIL = 'ada@example.com';
const SECRET = 'sk-proj-9aB8cD7eF6gH5iJ4kL3mN2oP1qR0';
const deps = { nowMs: () => 0, mostBytes: 20_000, takeTurns: () => undefined };

function ended(over: Partial<EndedBodies> = {}): EndedBodies {
  return {
    requestId: 'request-1',
    organisationId: 'organisation-1',
    atMs: 1_000.5,
    request: undefined,
    answer: undefined,
    partial: false,
    screening: undefined,
    lease: createByteBudget({ totalBytes: 1_000 }).open(),
    ...over,
  };
}

const requestOf = async (document: unknown, over: Partial<EndedBodies> = {}) =>
  (await maskBodies(deps, ended({ request: { document }, ...over }))).request?.text ?? '';

test('personal data and secrets are masked without any rule, wherever they stand', async () => {
  const written = await requestOf({
    id: SECRET,
    user: MAIL,
    messages: [{ role: 'user', content: `mail ${MAIL}, key ${SECRET}` }],
    [MAIL]: 'a name',
    card: 4_111_111_111_111_111,
  });
  expect(written).not.toContain(MAIL);
  expect(written).not.toContain(SECRET);
  expect(written).not.toContain('4111111111111111');
  expect(JSON.parse(written)).toMatchObject({
    id: '<API_KEY_1>',
    user: '<EMAIL_1>',
    messages: [{ content: 'mail <EMAIL_1>, key <API_KEY_1>' }],
    '<EMAIL_1>': 'a name',
    card: '<CARD_1>',
  });
});

test('documents within texts are read, with their escapes and their credentials', async () => {
  const inner = `{"to":"ada\\u0040example.com","password":"short","deep":"{\\"key\\":\\"${SECRET}\\"}"}`;
  const written = await requestOf({
    function: { arguments: inner },
    cut: '{"to":"ada\\u0040example.com',
  });
  expect(written).not.toContain(SECRET);
  expect(written).not.toContain('short');
  expect(written).not.toContain('u0040');
  expect(written).not.toContain('ada');
});

test('one text has one placeholder in request and answer, and each kind is counted', async () => {
  const bodies = await maskBodies(
    deps,
    ended({
      request: { document: { prompt: `${MAIL} and bob@example.com` } },
      answer: () => ({ document: { text: `Dear ${MAIL}` } }),
    }),
  );
  expect(bodies.request?.text).toBe('{"prompt":"<EMAIL_1> and <EMAIL_2>"}');
  expect(bodies.answer?.text).toBe('{"text":"Dear <EMAIL_1>"}');
  expect(bodies.masked).toEqual([{ label: 'EMAIL', count: 3 }]);
  expect(bodies.atMs).toBe(1_001);
});

const RULE: ScreeningRule = {
  id: 'words',
  kind: 'KEYWORDS',
  keywords: ['Bluebird'],
  caseSensitive: false,
  wholeWords: true,
  where: ['INPUT'],
  roles: null,
  action: 'MASK',
  onError: 'PASS',
  sample: 1,
  message: null,
  restore: true,
};

const screeningOf = (rule: ScreeningRule) =>
  createScreening({
    program: createProgram([{ policy: 'house', version: 1, rule }]),
    random: () => 0,
  });

test('rules of the organisation that mask apply to both bodies, others do not', async () => {
  const masks = screeningOf(RULE);
  expect(await requestOf({ a: 'Project Bluebird' }, { screening: masks })).toBe(
    '{"a":"Project <KEYWORD_1>"}',
  );
  const observes = screeningOf({ ...RULE, action: 'OBSERVE' });
  expect(await requestOf({ a: 'Project Bluebird' }, { screening: observes })).toContain('Bluebird');
});

test('texts that the answer got back are masked as they were in the request', async () => {
  const screening = screeningOf(RULE);
  const kind = { place: 'INPUT', role: 'user', fresh: true } as const;
  expect(screening.input({ kind, text: 'Bluebird' })).toBe('<KEYWORD_1>');
  const bodies = await maskBodies(
    deps,
    ended({
      screening,
      request: { document: { a: '<KEYWORD_1>' } },
      answer: () => ({ document: { b: 'Bluebird flies' } }),
    }),
  );
  expect(bodies.request?.text).toBe('{"a":"<KEYWORD_1>"}');
  expect(bodies.answer?.text).toBe('{"b":"<KEYWORD_1> flies"}');
});

const streamed = (text: string, complete: boolean): UnmaskedBody => ({
  response: {
    id: 'chatcmpl-1',
    model: 'gpt',
    choices: [
      { index: 0, content: [{ type: 'text', text }], stopReason: 'stop', rawStopReason: 'stop' },
    ],
  } satisfies NormalisedResponse,
  complete,
  encode: (response) =>
    FORMATS['openai-chat'].encodeResponse(response, {
      requestId: 'request-1',
      provider: 'provider_a',
      model: 'house',
      createdAtS: 1,
      includeUsage: true,
    }),
});

const answerOf = async (body: UnmaskedBody) =>
  (await maskBodies(deps, ended({ answer: () => body }))).answer?.text ?? '';

test('a streamed answer is written whole, in the format of its client', async () => {
  const written = await answerOf(streamed(`Dear ${MAIL}`, true));
  expect(JSON.parse(written)).toMatchObject({
    object: 'chat.completion',
    choices: [{ message: { role: 'assistant', content: 'Dear <EMAIL_1>' } }],
  });
});

test('half a secret at the end of a stream that broke off is not kept', async () => {
  const written = await answerOf(streamed(`The key is ${SECRET.slice(0, 12)}`, false));
  expect(written).toContain('The key is');
  expect(written).not.toContain(SECRET.slice(0, 12));
});

test('what cannot be masked is not kept, and says why', async () => {
  const large = await maskBodies(
    { ...deps, mostBytes: 10 },
    ended({ request: { document: { a: 'more than ten bytes' } } }),
  );
  expect(large.request).toMatchObject({ text: '', leftOut: 'TOO_LARGE' });
  const broken = await maskBodies(
    deps,
    ended({
      answer: () => {
        throw new SyntaxError('no JSON');
      },
    }),
  );
  expect(broken.answer).toMatchObject({ text: '', leftOut: 'UNREADABLE' });
});

test('a long text gives other requests their turn', async () => {
  let nowMs = 0;
  let turns = 0;
  const nowMsOf = () => (nowMs += 20);
  const counting = {
    mostBytes: 200_000,
    nowMs: nowMsOf,
    takeTurns: createTurns({ nowMs: nowMsOf }),
  };
  const count = (): void => {
    turns += 1;
    other = setImmediate(count);
  };
  let other = setImmediate(count);
  const document = { a: `${'word '.repeat(20_000)}${MAIL}` };
  const bodies = await maskBodies(counting, ended({ request: { document } }));
  clearImmediate(other);
  expect(bodies.request?.text).toContain('<EMAIL_1>');
  expect(turns).toBeGreaterThan(0);
});

const HIDDEN = '<CREDENTIAL_0>';

test.each([
  ['cut off', '{"user":"root","password":"hunter2-long","path":"/srv/da'],
  ['cut off in the credential', '{"user":"root","api_key":"hunter2-lo'],
  ['in lines', '{"a":1}\n{"password":"hunter2-long"}'],
  ['within a sentence', 'Use ```json\n{"client_secret": "hunter2-long"}\n``` then'],
  ['with escaped quotes', 'body: {\\"password\\":\\"hunter2-long\\"} end'],
  ['as a number', '{"password": 8412345, "cut'],
  ['in headers', '{"headers":{"X-Any":["hunter2-long"],"X-Other":"hunter2'],
])('credentials of JSON that is no document are replaced: %s', async (_how, text) => {
  const written = await requestOf({ text });
  expect(written).not.toMatch(/hunter2|8412345/);
  expect(written).toContain(HIDDEN);
});

test.each([
  ['of a repeated name', String.raw`{"email":"ada@example.com","email":""}`],
  [
    'beside many short lists',
    `{"api_key":["ada@example.com"],"grid":[${'[1,2,3],'.repeat(200)}[1]]}`,
  ],
])('an inner document shows no value %s', async (_which, text) => {
  expect(await requestOf({ arguments: text })).not.toContain('ada@example.com');
});

test('names of fields in an answer are masked as texts of the request were', async () => {
  const screening = screeningOf(RULE);
  const kind = { place: 'INPUT', role: 'user', fresh: true } as const;
  screening.input({ kind, text: 'Bluebird' });
  const given = { ...screening, program: createProgram([]) };
  const bodies = await maskBodies(
    deps,
    ended({ screening: given, answer: () => ({ document: { Bluebird: 'x' } }) }),
  );
  expect(bodies.answer?.text).toBe('{"<KEYWORD_1>":"x"}');
});

test('many small texts share one turn', async () => {
  let asked = 0;
  const counting = { ...deps, takeTurns: () => ((asked += 1), undefined) };
  const screening = screeningOf(RULE);
  const kind = { place: 'INPUT', role: 'user', fresh: true } as const;
  screening.input({ kind, text: 'Bluebird' });
  const document = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`name${at}`, 'x']));
  await maskBodies(counting, ended({ screening, answer: () => ({ document }) }));
  // Of names and texts, when they are hidden and when they are masked.
  expect(asked).toBe(200);
});
