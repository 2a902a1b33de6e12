import type { Readable } from 'node:stream';
import { rest } from '@tollgate/contracts';
import axios from 'axios';

// Exports and invoices are streamed through: they can exceed this process's memory and the usual
// timeout.

const PATTERNS = rest.ENDPOINTS.filter(
  ({ method, produces }) => method === 'GET' && produces !== 'application/json',
).map(({ path }) => new RegExp(`^${path.replace(/:[A-Za-z]+/g, '[^/]+')}$`));

/** Whether the catalog responds with a file. `path` may have a query. */
export function isFile(method: string, path: string): boolean {
  const [pathname = ''] = path.split('?');
  return method === 'GET' && PATTERNS.some((pattern) => pattern.test(pathname));
}

export interface FileAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly stream: Readable;
}

interface FileRequest {
  readonly baseUrl: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Deadline for the start of the response. The catalog limits its duration. */
  readonly beginsWithinMs: number;
}

/** Rejects when the response does not start in time. The caller must read or destroy the stream. */
export async function askForFile(request: FileRequest): Promise<FileAnswer> {
  const { baseUrl, path, headers, beginsWithinMs } = request;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), beginsWithinMs);
  try {
    const answer = await axios.get<Readable>(path, {
      baseURL: baseUrl,
      headers: { ...headers },
      signal: late.signal,
      timeout: 0,
      maxRedirects: 0,
      proxy: false,
      responseType: 'stream',
      validateStatus: () => true,
    });
    return { status: answer.status, headers: answer.headers, stream: answer.data };
  } finally {
    clearTimeout(timer);
  }
}

/** Reads a short error response. Rejects above `limitBytes`. */
export async function wholeOf(stream: Readable, limitBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stream) {
    const bytes = Buffer.from(piece as Uint8Array);
    length += bytes.length;
    if (length > limitBytes) throw new RangeError('the answer is too large');
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}
