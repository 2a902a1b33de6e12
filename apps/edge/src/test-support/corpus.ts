// Clients of every format without an SDK: their requests, and how they read an answer. They do not
// use the gateway's own codecs, because mistakes in those would cancel out.

/** How a client reads an answer. */
export interface Understood {
  /** The text shown to the user. */
  text: string;
  /** The client takes the answer for complete. */
  complete: boolean;
  /** How often the stream said that the answer is complete. */
  ends: number;
  /** The error that the client read; undefined: none. */
  error: string | undefined;
}

export interface CorpusClient {
  name: string;
  path: (model: string, stream: boolean) => string;
  body: (model: string, stream: boolean) => object;
  unary: (body: unknown) => Understood;
  stream: (text: string) => Understood;
}

const PROMPT = 'Hi';
const messages = [{ role: 'user', content: PROMPT }];

/** The value at a path; undefined if there is none. */
function at(value: unknown, ...path: (string | number)[]): unknown {
  let found = value;
  for (const step of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Record<string | number, unknown>)[step];
  }
  return found;
}

function textAt(value: unknown, ...path: (string | number)[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}

function listAt(value: unknown, ...path: (string | number)[]): unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

interface Frame {
  event: string;
  data: string;
}

function frames(text: string): Frame[] {
  return text
    .split(/\r?\n\r?\n/)
    .filter((block) => block.trim() !== '')
    .map((block) => {
      const lines = block.split(/\r?\n/);
      const field = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
      return { event: field('event'), data: field('data') };
    })
    .filter(({ data }) => data !== '');
}

function parsed({ data }: Frame): unknown {
  return JSON.parse(data);
}

function whole(text: string, body: unknown): Understood {
  const error = at(body, 'error') ?? undefined;
  const failed = error === undefined ? undefined : JSON.stringify(error);
  return { text, complete: !failed, ends: failed ? 0 : 1, error: failed };
}

function streamed(said: string[], ends: number, error: unknown): Understood {
  return {
    text: said.join(''),
    complete: ends > 0,
    ends,
    error: error === undefined ? undefined : JSON.stringify(error),
  };
}

const chat: CorpusClient = {
  name: 'openai-chat',
  path: () => '/v1/chat/completions',
  body: (model, stream) => ({ model, messages, stream, max_tokens: 30_000 }),
  unary: (body) => whole(textAt(body, 'choices', 0, 'message', 'content'), body),
  stream: (text) => {
    const all = frames(text);
    const events = all.filter(({ data }) => data !== '[DONE]').map(parsed);
    const error = events.find((event) => at(event, 'error') !== undefined);
    const said = events.map((event) => textAt(event, 'choices', 0, 'delta', 'content'));
    return streamed(said, all.length - events.length, error);
  },
};

const unified: CorpusClient = {
  ...chat,
  name: 'unified',
  path: () => '/v1/llm/chat',
  unary: (body) => whole(textAt(body, 'content'), body),
};

const anthropic: CorpusClient = {
  name: 'anthropic-messages',
  path: () => '/v1/messages',
  body: (model, stream) => ({ model, messages, stream, max_tokens: 30_000 }),
  unary: (body) => whole(textAt(body, 'content', 0, 'text'), body),
  stream: (text) => {
    const all = frames(text);
    const ends = all.filter(({ event }) => event === 'message_stop').length;
    const error = all.find(({ event }) => event === 'error');
    const deltas = all.filter(({ event }) => event === 'content_block_delta').map(parsed);
    return streamed(
      deltas.map((delta) => textAt(delta, 'delta', 'text')),
      ends,
      error,
    );
  },
};

const gemini: CorpusClient = {
  name: 'gemini-generate',
  path: (model, stream) =>
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: () => ({
    contents: [{ role: 'user', parts: [{ text: PROMPT }] }],
    generationConfig: { maxOutputTokens: 30_000 },
  }),
  unary: (body) => whole(geminiText(body), body),
  stream: (text) => {
    const events = frames(text).map(parsed);
    const reasons = events.map((event) => textAt(event, 'candidates', 0, 'finishReason'));
    const error = events.find((event) => at(event, 'error') !== undefined);
    const ends = reasons.filter((reason) => reason !== '').length;
    // These SDKs take the end of the connection for the end of the answer.
    return { ...streamed(events.map(geminiText), ends, error), complete: error === undefined };
  },
};

function geminiText(body: unknown): string {
  const parts = listAt(body, 'candidates', 0, 'content', 'parts');
  return parts.map((part) => textAt(part, 'text')).join('');
}

const responses: CorpusClient = {
  name: 'openai-responses',
  path: () => '/v1/responses',
  body: (model, stream) => ({ model, input: PROMPT, stream, max_output_tokens: 30_000 }),
  unary: (body) => {
    const message = listAt(body, 'output').find((item) => textAt(item, 'type') === 'message');
    return whole(textAt(message, 'content', 0, 'text'), body);
  },
  stream: (text) => {
    const events = frames(text).map(parsed);
    const ofType = (type: string) => events.filter((event) => textAt(event, 'type') === type);
    const error = ofType('response.failed')[0] ?? ofType('error')[0];
    const deltas = ofType('response.output_text.delta');
    return streamed(
      deltas.map((event) => textAt(event, 'delta')),
      ofType('response.completed').length,
      error,
    );
  },
};

export const CORPUS_CLIENTS = { chat, unified, anthropic, gemini, responses } as const;
