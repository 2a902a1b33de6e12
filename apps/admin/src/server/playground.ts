import { z } from 'zod';

import { createPlaygroundRoute, type PlaygroundDeps } from './playground-route';

// One chat of the playground: streams the gateway's response through.

/** Room for some pictures and the conversation so far. */
const BODY_LIMIT_BYTES = 16 * 1024 * 1024;
const ANSWER_HEADERS = [
  'content-type',
  'retry-after',
  'x-request-id',
  'x-tollgate-model',
  'x-tollgate-provider',
  'x-tollgate-cost-usd',
  'x-tollgate-dropped',
];

/** Pictures are inline. A URL would make a server fetch it. */
const imageBlock = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({ url: z.string().startsWith('data:image/') }),
});

/** The accepted request. The gateway validates it further. */
const chatRequest = z.strictObject({
  model: z.string().min(1).max(200),
  messages: z
    .array(
      z.strictObject({
        role: z.enum(['system', 'user', 'assistant']),
        content: z.string(),
        content_blocks: z.array(imageBlock).max(16).optional(),
      }),
    )
    .min(1)
    .max(1000),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  max_tokens: z.int().optional(),
  tools: z.array(z.looseObject({})).max(128).optional(),
});

export function createPlayground(deps: PlaygroundDeps) {
  return createPlaygroundRoute(deps, {
    bodyLimitBytes: BODY_LIMIT_BYTES,
    schema: chatRequest,
    ask: (chat, key, request) => ask(deps, request, chat, key),
    discard: async (answer) => answer.body?.cancel(),
    respond: passOn,
  });
}

function ask(
  deps: PlaygroundDeps,
  request: Request,
  chat: z.output<typeof chatRequest>,
  key: string,
): Promise<Response> {
  return deps.fetch(`${deps.edgeUrl.replace(/\/$/, '')}/v1/llm/chat`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-tollgate-stream-cost': 'true',
    },
    body: JSON.stringify({ ...chat, stream: true, include_usage: true }),
    // When the reader disconnects, the upstream call is aborted.
    signal: request.signal,
    redirect: 'error',
    cache: 'no-store',
  });
}

function passOn(answer: Response, headers: Headers): Response {
  headers.set('x-accel-buffering', 'no');
  for (const name of ANSWER_HEADERS) {
    const value = answer.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  return new Response(answer.body, { status: answer.status, headers });
}
