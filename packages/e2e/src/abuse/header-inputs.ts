import { talk, type Conversation } from './client';
import { keyLines, MADE_UP_KEY, type Input, type Target } from './input';

// Requests that HTTP allows but no client sends, and some that it forbids.

const PATH = '/v1/chat/completions';
const BODY = '{"model":"chat","messages":[{"role":"user","content":"Hello there"}]}';
const LENGTH = `content-length: ${String(BODY.length)}\r\n`;
const TYPE = 'content-type: application/json\r\n';
const PIPELINED = 200;
const WAIT_MS = 3_000;

interface Raw {
  readonly name: string;
  readonly answers?: number;
  readonly say: (conversation: Conversation, keys: string) => Promise<unknown>;
}

function head(lines: string, path = PATH): string {
  return `POST ${path} HTTP/1.1\r\nhost: edge\r\n${lines}\r\n`;
}

function headerLines(count: number): string {
  return Array.from({ length: count }, (_, n) => `x-${String(n)}: 1\r\n`).join('');
}

/** A whole request with these header lines instead of a key. */
const asking = (name: string, lines: string, path?: string): Raw => ({
  name,
  say: ({ send }) => send(head(TYPE + LENGTH + lines, path) + BODY),
});

const RAW: readonly Raw[] = [
  {
    name: '100 headers, good key',
    say: ({ send }, keys) => send(head(keys + TYPE + LENGTH + headerLines(100)) + BODY),
  },
  {
    name: '1,000 headers, good key',
    say: ({ send }, keys) => send(head(keys + TYPE + LENGTH + headerLines(1_000)) + BODY),
  },
  asking('10,000 headers, no key', headerLines(10_000)),
  asking('12 KiB query, no key', '', `${PATH}?${'a=1&'.repeat(3_000)}`),
  asking(
    '12 KiB key in the query, made-up key',
    '',
    `/v1beta/models/chat:generateContent?key=${'A'.repeat(12_000)}`,
  ),
  asking('64 KiB query, no key', '', `${PATH}?${'a=1&'.repeat(16_000)}`),
  asking('16 KiB key', `authorization: Bearer tg_${'A'.repeat(16_000)}\r\n`),
  asking('8 KiB key', `authorization: Bearer tg_${'A'.repeat(8_000)}\r\n`),
  asking('key with spaces', 'authorization: Bearer tg_a b c\r\n'),
  asking('two keys', `authorization: Bearer ${MADE_UP_KEY}\r\nx-api-key: ${MADE_UP_KEY}\r\n`),
  {
    name: `${String(PIPELINED)} pipelined requests, made-up key`,
    answers: PIPELINED,
    say: ({ send }) =>
      send(
        (head(`${TYPE}${LENGTH}authorization: Bearer ${MADE_UP_KEY}\r\n`) + BODY).repeat(PIPELINED),
      ),
  },
  {
    name: `${String(PIPELINED)} pipelined requests, good key`,
    answers: PIPELINED,
    say: ({ send }, keys) => send((head(keys + TYPE + LENGTH) + BODY).repeat(PIPELINED)),
  },
  {
    name: 'Expect: 100-continue, made-up key',
    say: async ({ send, arrives }) => {
      const key = `authorization: Bearer ${MADE_UP_KEY}\r\n`;
      await send(head(`${TYPE}${LENGTH}${key}expect: 100-continue\r\n`));
      if (await arrives('100 Continue', WAIT_MS)) await send(BODY);
    },
  },
  {
    name: 'Expect: 100-continue, good key',
    say: async ({ send, arrives }, keys) => {
      await send(head(`${TYPE}${LENGTH}${keys}expect: 100-continue\r\n`));
      if (await arrives('100 Continue', WAIT_MS)) await send(BODY);
    },
  },
  asking('unknown expectation, made-up key', 'expect: 200-ok\r\n'),
  {
    name: 'shorter than its content-length, good key',
    say: async ({ send, wait }, keys) => {
      await send(head(`${TYPE}content-length: 1000\r\n${keys}`) + BODY);
      await wait(WAIT_MS);
    },
  },
  {
    name: 'longer than its content-length, good key',
    answers: 2,
    say: ({ send }, keys) => send(head(TYPE + LENGTH + keys) + BODY + BODY),
  },
  {
    name: 'content-length with transfer-encoding, good key',
    say: ({ send }, keys) =>
      send(
        head(`${TYPE}${LENGTH}transfer-encoding: chunked\r\n${keys}`) +
          `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`,
      ),
  },
  {
    name: 'two content-lengths, good key',
    say: ({ send }, keys) => send(head(`${TYPE}${LENGTH}content-length: 1\r\n${keys}`) + BODY),
  },
  {
    name: 'a chunk size that is no number, good key',
    say: ({ send }, keys) =>
      send(`${head(`${TYPE}transfer-encoding: chunked\r\n${keys}`)}zz\r\n${BODY}\r\n`),
  },
  {
    name: 'a negative content-length, good key',
    say: ({ send }, keys) => send(head(`${TYPE}content-length: -1\r\n${keys}`) + BODY),
  },
];

/** A server may wait for more bytes; then the caller disconnects without an answer. */
const HANG_UP_MS = 10_000;

export const HEADER_INPUTS: readonly Input[] = RAW.map(({ name, say, answers = 1 }) => ({
  name: `request: ${name}`,
  run: async (target: Target) => ({
    answers: await talk({
      port: target.port,
      signal: AbortSignal.any([target.signal, AbortSignal.timeout(HANG_UP_MS)]),
      answers,
      say: async (conversation) => {
        await say(conversation, keyLines('good key', target));
      },
    }),
  }),
}));
