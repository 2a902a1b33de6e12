import { conversationOf, isCompacted, isContinued, type Conversation } from './conversation';
import type { DecodedExchange } from './exchange';

interface Asked {
  readonly headers?: Record<string, string>;
  readonly key?: string;
  readonly messages?: { role: string; content: unknown[] }[];
  readonly extras?: Record<string, unknown>;
  readonly endUser?: string;
  readonly tokens?: number;
}

const text = (role: string, words: string) => ({ role, content: [{ type: 'text', text: words }] });
const LONG = 'You are a careful assistant. '.repeat(300);

const conversation = (asked: Asked): Conversation | undefined =>
  conversationOf({
    keySha256: Buffer.alloc(32, asked.key ?? 'k'),
    req: { headers: asked.headers ?? {} },
    job: {
      inputTokensEstimate: asked.tokens ?? 2_000,
      request: {
        messages: asked.messages ?? [text('system', LONG), text('user', 'Hello')],
        extras: asked.extras ?? {},
        endUser: asked.endUser,
      },
    },
  } as unknown as DecodedExchange);
const keyOf = (asked: Asked): string | undefined => conversation(asked)?.key.toString('hex');

test('a key has eight bytes, and each turn of a conversation has the same', () => {
  const first = [text('system', LONG), text('user', 'Fix the bug in the parser')];
  const second = [...first, text('assistant', 'Which parser?'), text('user', 'The one for dates')];
  expect(keyOf({ messages: first })).toMatch(/^[0-9a-f]{16}$/);
  expect(keyOf({ messages: second })).toBe(keyOf({ messages: first }));
  const other = [text('system', LONG), text('user', 'Fix the bug in the lexer')];
  expect(keyOf({ messages: other })).not.toBe(keyOf({ messages: first }));
});

test('what no provider caches may go anywhere, unless it is named', () => {
  expect(conversation({ tokens: 1_023 })?.cached).toBe(false);
  expect(conversation({ tokens: 1_024 })?.cached).toBe(true);
  expect(conversation({ tokens: 10, extras: { prompt_cache_key: 'thread 7' } })?.cached).toBe(true);
  expect(keyOf({ tokens: 1_023 })).toBe(keyOf({ tokens: 1_024 }));
  const image = [{ role: 'user', content: [{ type: 'image' }] }];
  expect(conversation({ tokens: 900, messages: image })).toBeUndefined();
  const embeddings = { job: { inputTokensEstimate: 9_000 }, req: { headers: {} } };
  expect(conversationOf(embeddings as unknown as DecodedExchange)).toBeUndefined();
});

test.each<[string, Asked, Asked]>([
  [
    'the session of Claude Code',
    { headers: { 'x-claude-code-session-id': 'a' } },
    { headers: { 'x-claude-code-session-id': 'b' } },
  ],
  ['the session of Codex', { headers: { session_id: 'a' } }, { headers: { session_id: 'b' } }],
  [
    'prompt_cache_key',
    { extras: { prompt_cache_key: 'a' } },
    { extras: { prompt_cache_key: 'b' } },
  ],
  ['a session in the user id', { endUser: 'user_1_session_a' }, { endUser: 'user_1_session_b' }],
])('%s names the conversation, whatever its text', (_, one, another) => {
  const changed = [text('user', 'other words')];
  expect(keyOf({ ...one, messages: changed })).toBe(keyOf(one));
  expect(keyOf(another)).not.toBe(keyOf(one));
});

test('a user has many conversations', () => {
  const messages = [text('system', LONG), text('user', 'another question')];
  expect(keyOf({ endUser: 'ada', messages })).not.toBe(keyOf({ endUser: 'ada' }));
});

test('the same name under another API key is another conversation', () => {
  const named = { headers: { session_id: 'a' } };
  expect(keyOf({ ...named, key: 'other' })).not.toBe(keyOf(named));
  expect(keyOf({ key: 'other' })).not.toBe(keyOf({}));
});

test('endless names and texts cost no more than long ones', () => {
  const name = 'x'.repeat(512);
  expect(keyOf({ headers: { session_id: `${name}y` } })).toBe(
    keyOf({ headers: { session_id: name } }),
  );
  const long = (end: string) => [text('user', `${'z'.repeat(2_048)}${end}`)];
  expect(keyOf({ messages: long('1') })).toBe(keyOf({ messages: long('2') }));
});

test.each([
  [{ 'x-claude-code-context-compacted': 'auto' }, true],
  [{ 'x-claude-code-context-compacted': 'manual' }, true],
  [{ 'x-claude-code-context-compacted': '' }, false],
  // The request that asks for the summary still sends all that is cached.
  [{ 'x-claude-code-compaction': 'auto' }, false],
  [{}, false],
])(
  'of the headers %j, only that of a replaced context says that the prompt begins anew',
  (headers, said) => {
    expect(isCompacted({ req: { headers } } as unknown as DecodedExchange)).toBe(said);
  },
);

test('a prompt with an answer continues a conversation, unless the client has replaced its context', () => {
  const continued = (messages: { role: string }[], headers: Record<string, string> = {}) =>
    isContinued({ req: { headers }, job: { request: { messages } } } as unknown as DecodedExchange);
  const first = [text('system', LONG), text('user', 'Hello')];
  const second = [...first, text('assistant', 'Hi'), text('user', 'More')];
  expect([continued(first), continued(second)]).toEqual([false, true]);
  expect(continued(second, { 'x-claude-code-context-compacted': 'auto' })).toBe(false);
});
