/**
 * Reads consecutive HTTP/1.1 answers from bytes that may be split anywhere (RFC 9112). Bodies are
 * not kept: only the status, the beginning of the body and the end of the answer matter.
 */
export interface AnswerReader {
  /** Reads all of `bytes`; throws when they are not one valid answer. */
  readonly read: (bytes: Buffer) => void;
  /** Prepares for the next answer. */
  readonly reset: () => void;
  readonly status: () => number;
  /** Whether a byte of the body has arrived. */
  readonly begun: () => boolean;
  readonly ended: () => boolean;
  /** Whether the answer ends when the other side closes the connection. */
  readonly endsByClose: () => boolean;
  /** Whether the connection can be reused after the answer. */
  readonly persists: () => boolean;
}

/** Limit of a head, of a chunk's size line and of each trailer. */
const MOST_HEAD_BYTES = 16_384;
const LINE_END = '\r\n';
const HEAD_END = '\r\n\r\n';

type Next =
  'head' | 'body' | 'body until close' | 'size' | 'chunk' | 'chunk end' | 'trailer' | 'end';

interface State {
  next: Next;
  bytes: Buffer;
  /** How much of `bytes` has been read. */
  at: number;
  /** The beginning of an incomplete head or line. */
  kept: string;
  /** Missing bytes of the body or chunk. */
  left: number;
  status: number;
  begun: boolean;
  persists: boolean;
}

export function createAnswerReader(): AnswerReader {
  const state: State = {
    next: 'head',
    bytes: Buffer.alloc(0),
    at: 0,
    kept: '',
    left: 0,
    status: 0,
    begun: false,
    persists: true,
  };
  return {
    read: (bytes) => {
      state.bytes = bytes;
      state.at = 0;
      while (state.at < bytes.length) STEPS[state.next](state);
    },
    reset: () => {
      state.next = 'head';
      state.kept = '';
      state.begun = false;
    },
    status: () => state.status,
    begun: () => state.begun,
    ended: () => state.next === 'end',
    endsByClose: () => state.next === 'body until close',
    persists: () => state.persists,
  };
}

/** Each step reads from non-empty `bytes` and returns the next step. */
const STEPS: Readonly<Record<Next, (state: State) => void>> = {
  head: (state) => {
    const text = textUntil(HEAD_END, state);
    if (text === undefined) return;
    const { status, persists, chunked, length } = parseHead(text);
    // Interim answers (RFC 9110, 15.2), such as early hints.
    if (status < 200) return;
    state.status = status;
    state.persists = persists;
    state.left = length ?? 0;
    if (chunked) state.next = 'size';
    else if (length === undefined) state.next = 'body until close';
    else state.next = length === 0 ? 'end' : 'body';
  },
  body: (state) => {
    if (skip(state)) state.next = 'end';
  },
  'body until close': (state) => {
    state.begun = true;
    state.at = state.bytes.length;
  },
  size: (state) => {
    const line = textUntil(LINE_END, state);
    if (line === undefined) return;
    state.left = chunkSize(line);
    state.next = state.left === 0 ? 'trailer' : 'chunk';
  },
  chunk: (state) => {
    if (skip(state)) state.next = 'chunk end';
  },
  'chunk end': (state) => {
    const line = textUntil(LINE_END, state);
    if (line === undefined) return;
    if (line !== '') throw new Error('chunk longer than its size');
    state.next = 'size';
  },
  trailer: (state) => {
    if (textUntil(LINE_END, state) === '') state.next = 'end';
  },
  end: () => {
    throw new Error('more than the answer');
  },
};

/** Skips the available bytes of the body or chunk; returns whether it is complete. */
function skip(state: State): boolean {
  const taken = Math.min(state.left, state.bytes.length - state.at);
  state.begun = true;
  state.left -= taken;
  state.at += taken;
  return state.left === 0;
}

/** The text before `mark`; undefined, and buffered, until the mark arrives. */
function textUntil(mark: string, state: State): string | undefined {
  const { bytes, at, kept } = state;
  if (kept === '') {
    const end = bytes.indexOf(mark, at, 'latin1');
    if (end >= 0 && end - at <= MOST_HEAD_BYTES) {
      state.at = end + mark.length;
      return bytes.toString('latin1', at, end);
    }
  }
  const most = MOST_HEAD_BYTES + mark.length;
  const text = kept + bytes.toString('latin1', at, Math.min(bytes.length, at + most));
  const end = text.indexOf(mark);
  if (end > MOST_HEAD_BYTES || (end < 0 && text.length >= most)) {
    throw new Error(`head over ${String(MOST_HEAD_BYTES)} bytes`);
  }
  state.at = end < 0 ? bytes.length : at + end + mark.length - kept.length;
  state.kept = end < 0 ? text : '';
  return end < 0 ? undefined : text.slice(0, end);
}

interface Head {
  readonly status: number;
  readonly persists: boolean;
  readonly chunked: boolean;
  /** Body length in bytes; undefined where only the end of the connection tells. */
  readonly length: number | undefined;
}

function parseHead(text: string): Head {
  const [first = '', ...lines] = text.split('\r\n');
  const [, minor, code] = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: |$)/.exec(first) ?? [];
  if (code === undefined) throw new Error('no status line');
  const status = Number(code);
  let persists = minor === '1';
  let chunked = false;
  let length: number | undefined;
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    if (name === 'content-length') length = bodyLength(line.slice(colon + 1), length);
    else if (name === 'transfer-encoding') chunked = isChunked(line.slice(colon + 1));
    else if (name === 'connection') persists = staysOpen(line.slice(colon + 1), persists);
  }
  if (status === 204 || status === 304) return { status, persists, chunked: false, length: 0 };
  return { status, persists, chunked, length };
}

function bodyLength(value: string, before: number | undefined): number {
  const length = /^\s*\d+\s*$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(length) || (before !== undefined && before !== length)) {
    throw new Error('wrong content-length');
  }
  return length;
}

function isChunked(value: string): boolean {
  if (value.trim().toLowerCase() !== 'chunked') throw new Error('unknown transfer-encoding');
  return true;
}

function staysOpen(value: string, byVersion: boolean): boolean {
  const options = value.toLowerCase();
  if (options.includes('close')) return false;
  return byVersion || options.includes('keep-alive');
}

function chunkSize(line: string): number {
  const [, digits] = /^([0-9a-f]{1,13})[ \t]*(?:;|$)/i.exec(line) ?? [];
  if (digits === undefined) throw new Error('wrong chunk size');
  return Number.parseInt(digits, 16);
}
