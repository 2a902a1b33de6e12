import { connect, type Socket } from 'node:net';

// A client on a bare socket, because HTTP libraries refuse to send most of these requests.

/** One answer. With status 0 there was none, and `code` has the reason. */
export interface Seen {
  readonly status: number;
  readonly code: string;
  readonly ms: number;
  readonly retryAfter: boolean;
}

export interface Conversation {
  /**
   * Resolves when the bytes are written; never rejects. False: the connection no longer accepts
   * data.
   */
  readonly send: (bytes: Buffer | string) => Promise<boolean>;
  /** Waits; false if the connection ended in the meantime. */
  readonly wait: (ms: number) => Promise<boolean>;
  /** Resolves when the text has arrived, or with false after `ms`. */
  readonly arrives: (text: string, ms: number) => Promise<boolean>;
}

export interface Talk {
  readonly port: number;
  readonly signal: AbortSignal;
  readonly say: (conversation: Conversation) => Promise<void>;
  /** The number of answers that ends the connection. */
  readonly answers?: number;
  /** Ends the connection once everything has been sent, answered or not. */
  readonly hangUp?: boolean;
}

/** The bytes kept of an answer; the rest is read and dropped. */
const KEPT_BYTES = 256 * 1024;
const TAIL_BYTES = 16;

/** Opens a connection, sends the requests and returns the answers. Never rejects. */
export function talk({ port, signal, say, answers = 1, hangUp = false }: Talk): Promise<Seen[]> {
  const startedMs = performance.now();
  const socket = connect({ port, host: '127.0.0.1' });
  socket.setNoDelay(true);
  let text = '';
  let bytes = 0;
  let tail = '';
  return new Promise((resolve) => {
    let over = false;
    const finish = (reason: string): void => {
      if (over) return;
      over = true;
      signal.removeEventListener('abort', giveUp);
      socket.destroy();
      resolve(seenIn(text, performance.now() - startedMs, reason));
    };
    const giveUp = (): void => finish('given up');
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (text.length < KEPT_BYTES) text += chunk.toString('latin1');
      tail = (tail + chunk.subarray(-TAIL_BYTES).toString('latin1')).slice(-TAIL_BYTES);
      if (isWhole(text, tail, bytes, answers)) finish('answered');
    });
    socket.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? 'error'));
    socket.on('close', () => finish('closed'));
    signal.addEventListener('abort', giveUp);
    if (signal.aborted) return giveUp();
    void say(conversationOn(socket, () => ({ over, text }))).then(() => {
      if (hangUp) finish('hung up');
    });
  });
}

function conversationOn(
  socket: Socket,
  now: () => { readonly over: boolean; readonly text: string },
): Conversation {
  const wait = (ms: number): Promise<boolean> =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        socket.off('close', end);
        resolve(!now().over);
      };
      const timer = setTimeout(end, ms);
      socket.once('close', end);
    });
  return {
    wait,
    send: (bytes) =>
      new Promise((resolve) => {
        if (now().over || socket.destroyed) return resolve(false);
        const end = (): void => {
          socket.off('close', end);
          socket.off('drain', end);
          resolve(!now().over);
        };
        if (socket.write(bytes)) return resolve(true);
        socket.once('drain', end);
        socket.once('close', end);
      }),
    arrives: async (text, ms) => {
      const deadline = performance.now() + ms;
      while (!now().text.includes(text)) {
        if (performance.now() > deadline || !(await wait(ARRIVAL_EVERY_MS))) return false;
      }
      return true;
    },
  };
}

const ARRIVAL_EVERY_MS = 10;
const STATUS_LINE = /HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n/g;

function isWhole(text: string, tail: string, bytes: number, answers: number): boolean {
  const heads = [...text.matchAll(STATUS_LINE)].filter(([, status]) => status !== '100');
  const last = heads[answers - 1];
  if (last === undefined) return false;
  const headEnd = text.indexOf('\r\n\r\n', last.index);
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(last.index, headEnd))?.[1];
  if (length !== undefined) return bytes >= headEnd + 4 + Number(length);
  return tail.endsWith('0\r\n\r\n');
}

/** Parses the answers in the received bytes. Pure. */
export function seenIn(text: string, ms: number, reason: string): Seen[] {
  const heads = [...text.matchAll(STATUS_LINE)].filter(([, status]) => status !== '100');
  if (heads.length === 0) return [{ status: 0, code: reason, ms, retryAfter: false }];
  return heads.map((head, n) => {
    const own = text.slice(head.index, heads[n + 1]?.index);
    return {
      status: Number(head[1]),
      code: codeIn(own),
      ms,
      retryAfter: /\r\nretry-after: \d+/i.test(own),
    };
  });
}

/** The gateway's code where the format has one, otherwise the vendor's own word for the error. */
function codeIn(answer: string): string {
  const found =
    /"code"\s*:\s*"(\w+)"/.exec(answer) ??
    /"reason"\s*:\s*"(\w+)"/.exec(answer) ??
    /"type"\s*:\s*"(\w+_error)"/.exec(answer);
  return found?.[1]?.toLowerCase() ?? '';
}

/** Lists the refusals that ask for a retry without retry-after. Pure. */
export function withoutAdvice(seen: readonly Seen[]): string[] {
  const count = seen.filter(({ status, retryAfter }) => status === 503 && !retryAfter).length;
  return count === 0 ? [] : [`${String(count)} × 503 without Retry-After`];
}
