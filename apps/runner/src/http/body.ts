import type { IncomingMessage } from 'node:http';

import type { Refusal } from '../sessions';

/** Like the edge's limit of an MCP message. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

export async function readBody(request: IncomingMessage): Promise<string | Refusal> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // The rest is read and dropped, so that the caller gets the answer.
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (bytes > MAX_BODY_BYTES) {
    const message = `The body has more than ${MAX_BODY_BYTES} bytes.`;
    return { status: 413, code: 'invalid_request', message };
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    return { status: 400, code: 'invalid_request', message: 'The body is not UTF-8.' };
  }
}
