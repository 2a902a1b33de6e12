import type { Readable } from 'node:stream';
import { rest } from '@tollgate/contracts';
import axios from 'axios';

// Files of the catalog: exports and invoices. They are passed on as they are made, for they may be
// larger than what this process should hold, and take longer than any other answer.

const PATTERNS = rest.ENDPOINTS.filter(
  ({ method, produces }) => method === 'GET' && produces !== 'application/json',
).map(({ path }) => new RegExp(`^${path.replace(/:[A-Za-z]+/g, '[^/]+')}$`));

/** Whether the catalog's answer to this is a file. `path` may have a query. */
export function isFile(method: string, path: string): boolean {
  const [pathname = ''] = path.split('?');
  return method === 'GET' && PATTERNS.some((pattern) => pattern.test(pathname));
}

export type FileAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly stream: Readable;
};

type FileRequest = {
  readonly baseUrl: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Until the answer begins. Its end is the catalog's to say: it cuts off who takes nothing. */
  readonly beginsWithinMs: number;
};

/** Rejects when the answer does not begin in time. Whoever has the stream must read or destroy it. */
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

/** All of a refusal, which is short. Rejects when it is longer than `limitBytes`. */
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
