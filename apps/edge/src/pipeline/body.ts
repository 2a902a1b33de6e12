import type { IncomingMessage } from 'node:http';
import { gatewayError } from '@tollgate/contracts';
import { checkDepth, parseJson, type JsonObject } from '../formats';

/** The client has gone: there is nobody to answer, and nothing went wrong. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/**
 * The whole body of a request.
 * @throws GatewayError `invalid_request` naming the limit; ClientGone
 */
export function readBody(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > limitBytes) {
    return Promise.reject(bodyTooLarge(limitBytes));
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limitBytes) {
        req.pause();
        req.removeAllListeners('data');
        reject(bodyTooLarge(limitBytes));
        return;
      }
      chunks.push(chunk);
    });
    req.on('end', () => {
      const [only] = chunks;
      resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks, bytes));
      // The request lives as long as its answer; what it was made of need not.
      chunks.length = 0;
    });
    req.on('close', () => {
      if (!req.complete) reject(new ClientGone('the client closed its connection'));
    });
    req.on('error', () => reject(new ClientGone('the connection of the client broke')));
  });
}

/** @throws GatewayError `invalid_request` for a body that would have to be unpacked first */
export function checkUnpacked(req: IncomingMessage): void {
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return;
  const text = `The body is packed as ${encoding.slice(0, 32)}; send it unpacked.`;
  throw gatewayError('invalid_request', text, { param: 'content-encoding' });
}

export function bodyTooLarge(limitBytes: number) {
  return gatewayError('invalid_request', `The body is larger than ${limitBytes} bytes.`, {
    details: { limitBytes },
  });
}

/**
 * The body as a JSON object.
 * @throws GatewayError `invalid_request` saying where it goes wrong
 */
export function parseBody(bytes: Buffer, maxDepth: number): JsonObject {
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw gatewayError('invalid_request', notJson(text, error), { cause: error });
  }
  if (!isObject(value)) {
    throw gatewayError('invalid_request', 'The body must be a JSON object.');
  }
  // The walk that names the place is dearer than the one that only looks.
  if (mayBeDeeper(text, maxDepth) && !within(value, maxDepth)) checkDepth(value, maxDepth);
  return value;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Without more brackets than that it cannot be; most bodies have fewer, and one look at them is cheap. */
function mayBeDeeper(text: string, maxDepth: number): boolean {
  let left = maxDepth;
  for (const bracket of '{[') {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      left -= 1;
      if (left < 0) return true;
    }
  }
  return false;
}

function within(value: object, left: number): boolean {
  if (left < 0) return false;
  for (const key in value) {
    const child = (value as JsonObject)[key];
    if (typeof child === 'object' && child !== null && !within(child, left - 1)) return false;
  }
  return true;
}

// The parser's own message may quote the body, so only the place is taken from it.
function notJson(text: string, error: unknown): string {
  if (text.trim() === '') return 'The body is empty; a JSON object is expected.';
  const message = error instanceof Error ? error.message : '';
  const found = /at position (\d+)/.exec(message)?.[1];
  const unfinished = message.includes('end of JSON input');
  const position = unfinished ? text.length : found === undefined ? undefined : Number(found);
  if (position === undefined) return 'The body is not valid JSON.';
  const before = text.slice(0, position);
  const line = before.split('\n').length;
  const column = position - before.lastIndexOf('\n');
  return `The body is not valid JSON at position ${position} (line ${line}, column ${column}).`;
}
