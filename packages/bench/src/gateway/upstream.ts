import { createServer, type ServerResponse } from 'node:http';

import {
  ANSWER_CHUNKS,
  chatAnswer,
  chatChunks,
  embeddingAnswer,
  SLOW_CHUNKS,
  toolResult,
} from './wire';

/**
 * A process that answers like an OpenAI-compatible upstream, from prepared buffers, at the minimum
 * cost of a server. The requested model selects the answer: `small`, `large`, `slow` (chunks at
 * long intervals) or `embed`. Paths with `/mcp` answer a tool call.
 */

const SMALL = Buffer.from(chatAnswer(400));
const LARGE = Buffer.from(chatAnswer(100_000));
const EMBEDDINGS = Buffer.from(embeddingAnswer(16, 1_536));
const TOOL_RESULT = Buffer.from(toolResult(400));
const CHUNKS = chatChunks(ANSWER_CHUNKS).map((chunk) => Buffer.from(chunk));
const SLOW_EVERY_MS = 500;
/** Other gateways write JSON with spaces, and move fields behind the messages. */
const STREAMED = /"stream"\s*:\s*true/;
const SLOW_MODEL = /"model"\s*:\s*"(?:[^"]*\/)?slow"/;
const LARGE_MODEL = /"model"\s*:\s*"(?:[^"]*\/)?large"/;
const FIELDS_WITHIN = 200_000;

function json(response: ServerResponse, body: Buffer): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}

/** Every chunk is a separate write, like tokens from a model. */
function stream(response: ServerResponse, chunks: readonly Buffer[], everyMs?: number): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let at = 0;
  const next = (): void => {
    if (response.destroyed) return;
    const chunk = chunks[at];
    at += 1;
    if (chunk === undefined) {
      response.end();
      return;
    }
    response.write(chunk);
    if (everyMs === undefined) setImmediate(next);
    else setTimeout(next, everyMs);
  };
  next();
}

const slowChunks = [...CHUNKS.slice(0, SLOW_CHUNKS), ...CHUNKS.slice(-2)];

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    if (request.url?.endsWith('/embeddings') === true) {
      json(response, EMBEDDINGS);
      return;
    }
    if (request.url?.includes('/mcp') === true) {
      json(response, TOOL_RESULT);
      return;
    }
    const body = Buffer.concat(parts);
    const text = body.toString('latin1', 0, FIELDS_WITHIN);
    const streamed = STREAMED.test(text);
    if (streamed && SLOW_MODEL.test(text)) stream(response, slowChunks, SLOW_EVERY_MS);
    else if (streamed) stream(response, CHUNKS);
    else json(response, LARGE_MODEL.test(text) ? LARGE : SMALL);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.argv[2]), '127.0.0.1');
