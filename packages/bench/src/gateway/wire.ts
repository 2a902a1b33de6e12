/** The benchmark's request and answer bodies. */

/** Text chunks of a streamed answer. */
export const ANSWER_CHUNKS = 200;
/** Text chunks of a slow one. */
export const SLOW_CHUNKS = 24;

/** The tool that is called, and the revision of the protocol. */
export const TOOL = 'search';
export const MCP_REVISION = '2026-07-28';

const USAGE = { prompt_tokens: 250, completion_tokens: 200, total_tokens: 450 };

/** A chat model's answer with about this many bytes of text. */
export function chatAnswer(bytes: number): string {
  return JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion',
    created: 1_760_000_000,
    model: 'bench',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: text(bytes) },
        finish_reason: 'stop',
      },
    ],
    usage: USAGE,
  });
}

/** The same as server-sent events: one word each, then the finish reason, the usage and [DONE]. */
export function chatChunks(count: number): string[] {
  const event = (choices: object[], usage: object | null): string =>
    `data: ${JSON.stringify({
      id: 'chatcmpl-bench',
      object: 'chat.completion.chunk',
      created: 1_760_000_000,
      model: 'bench',
      choices,
      usage,
    })}\n\n`;
  const delta = (content: string): string =>
    event([{ index: 0, delta: { content }, finish_reason: null }], null);
  return [
    event([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }], null),
    ...Array.from({ length: count }, (_, at) => delta(` word${String(at)}`)),
    event([{ index: 0, delta: {}, finish_reason: 'stop' }], null),
    `${event([], USAGE)}data: [DONE]\n\n`,
  ];
}

export function embeddingAnswer(vectors: number, dimensions: number): string {
  return JSON.stringify({
    object: 'list',
    model: 'embed',
    data: Array.from({ length: vectors }, (_, index) => ({
      object: 'embedding',
      index,
      embedding: Array.from({ length: dimensions }, (__, at) => Math.sin(index * 31 + at) / 40),
    })),
    usage: { prompt_tokens: 400, total_tokens: 400 },
  });
}

/** A chat request with about this many bytes of prompt. */
export function chatRequest(model: string, bytes: number, stream: boolean): string {
  return JSON.stringify({
    model,
    messages: [
      { role: 'system', content: 'You are terse.' },
      { role: 'user', content: text(bytes) },
    ],
    max_tokens: 400,
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  });
}

export function anthropicRequest(model: string, bytes: number): string {
  return JSON.stringify({
    model,
    system: 'You are terse.',
    messages: [{ role: 'user', content: text(bytes) }],
    max_tokens: 400,
    stream: true,
  });
}

export function embeddingRequest(model: string): string {
  return JSON.stringify({
    model,
    input: Array.from({ length: 16 }, (_, at) => `${text(100)} ${String(at)}`),
  });
}

/** A tool call of the stateless revision, with about this many bytes of arguments. */
export function toolCall(bytes: number): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: TOOL,
      arguments: { query: text(bytes) },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': MCP_REVISION,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  });
}

export function toolResult(bytes: number): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    result: { resultType: 'complete', content: [{ type: 'text', text: text(bytes) }] },
  });
}

function text(bytes: number): string {
  return 'The quick brown fox jumps over the lazy dog. '
    .repeat(Math.ceil(bytes / 45))
    .slice(0, bytes);
}
