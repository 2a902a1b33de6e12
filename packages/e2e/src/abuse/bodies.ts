// JSON bodies that are cheap to send and expensive to parse. Pure: a size in bytes to the body.

export type Body = (bytes: number) => Buffer;

const MESSAGES = '"messages":[{"role":"user","content":"Hello there"}]';

/** `item` repeated with commas between, at most `bytes` long in total. */
export function listOf(open: string, item: string, close: string): Body {
  return (bytes) => {
    const count = Math.max(1, Math.floor((bytes - open.length - close.length) / (item.length + 1)));
    const items = Buffer.alloc(count * (item.length + 1), `${item},`).subarray(0, -1);
    return Buffer.concat([Buffer.from(open), items, Buffer.from(close)]);
  };
}

/** `text` repeated without a separator. */
export function runOf(open: string, text: string, close: string): Body {
  return (bytes) => {
    const count = Math.max(1, Math.floor((bytes - open.length - close.length) / text.length));
    const run = Buffer.alloc(count * text.length, text);
    return Buffer.concat([Buffer.from(open), run, Buffer.from(close)]);
  };
}

function nested(open: string, close: string): Body {
  return (bytes) => {
    const depth = Math.floor((bytes - open.length - close.length) / 2);
    const brackets = Buffer.concat([Buffer.alloc(depth, '['), Buffer.alloc(depth, ']')]);
    return Buffer.concat([Buffer.from(open), brackets, Buffer.from(close)]);
  };
}

const FIELD_DIGITS = 7;

/** Fields with different names: each adds to the object. */
function manyFields(open: string, close: string): Body {
  return (bytes) => {
    const length = '"a",:1'.length + FIELD_DIGITS;
    const count = Math.max(1, Math.floor((bytes - open.length - close.length) / length));
    const names = Array.from({ length: count }, (_, n) => String(n).padStart(FIELD_DIGITS, '0'));
    return Buffer.from(`${open}${names.map((name) => `"a${name}":1`).join(',')}${close}`);
  };
}

export interface Shape {
  readonly path: string;
  /** The name in the report. */
  readonly name: string;
  readonly body: Body;
}

const chatField = (name: string, field: string, item: string): Shape => ({
  path: '/v1/chat/completions',
  name: `chat ${name}`,
  body: listOf(`{"model":"chat",${MESSAGES},"${field}":[`, item, ']}'),
});

const chat = (name: string, body: Body): Shape => ({
  path: '/v1/chat/completions',
  name: `chat ${name}`,
  body,
});

const VERSION = /^\/v1(beta\/models)?\//;

const list = (path: string, model: string, field: string, item: string): Shape => ({
  path,
  name: `${path.replace(VERSION, '')} ${field} [${item},…]`,
  body: listOf(`{${model}"${field}":[`, item, ']}'),
});

const CHAT_MODEL = '"model":"chat",';

/** Every shape is sent in every size, with every kind of key. */
export const SHAPES: readonly Shape[] = [
  chat('messages [[],…]', listOf('{"model":"chat","messages":[', '[]', ']}')),
  chat('messages [{},…]', listOf('{"model":"chat","messages":[', '{}', ']}')),
  chat(
    'content parts [{},…]',
    listOf('{"model":"chat","messages":[{"role":"user","content":[', '{}', ']}]}'),
  ),
  chat('top-level fields', manyFields(`{"model":"chat",${MESSAGES},`, '}')),
  chatField('stop [1,…]', 'stop', '1'),
  chatField('stop ["a",…]', 'stop', '"a"'),
  chatField('stop [null,…]', 'stop', 'null'),
  chatField('tools [{},…]', 'tools', '{}'),
  chatField('17-digit integers', 'stop', '12345678901234567'),
  chat('one long number', runOf(`{"model":"chat",${MESSAGES},"seed":1`, '1', '}')),
  chat('nesting [[[[…', nested(`{"model":"chat",${MESSAGES},"stop":`, '}')),
  chat('one string', runOf('{"model":"chat","messages":[{"role":"user","content":"', 'a', '"}]}')),
  chat('duplicate keys', listOf(`{"model":"chat",${MESSAGES},`, '"a":1', '}')),
  chat(
    'lone surrogates',
    runOf('{"model":"chat","messages":[{"role":"user","content":"', '\\ud800', '"}]}'),
  ),
  list('/v1/responses', CHAT_MODEL, 'input', '[]'),
  list('/v1/responses', CHAT_MODEL, 'input', '{}'),
  list('/v1/messages', `${CHAT_MODEL}"max_tokens":16,`, 'messages', '[]'),
  list('/v1/messages', `${CHAT_MODEL}"max_tokens":16,`, 'messages', '{}'),
  list('/v1beta/models/chat:generateContent', '', 'contents', '[]'),
  list('/v1beta/models/chat:generateContent', '', 'contents', '{}'),
  list('/v1/llm/chat', CHAT_MODEL, 'messages', '[]'),
  list('/v1/llm/chat', CHAT_MODEL, 'messages', '{}'),
  list('/v1/embeddings', '"model":"embed",', 'input', '[]'),
  list('/v1/embeddings', '"model":"embed",', 'input', '[1]'),
  list('/v1/embeddings', '"model":"embed",', 'input', '"a"'),
];
