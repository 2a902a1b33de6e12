import { connect, type Socket } from 'node:net';

import { createAnswerReader } from './http-answer';

/**
 * One keep-alive connection that sends one request at a time. Node's answer streams, and clients
 * built on them, cost as much as what is measured; this reads bytes directly from the kernel's
 * buffer.
 */
export interface Connection {
  /** Connects first if needed. Call only after the last request has ended. */
  readonly send: (request: Buffer) => void;
  /** Fails a request whose other side has been silent for too long. */
  readonly expire: (nowMs: number) => void;
  readonly close: () => void;
}

/** Times are on the clock of `performance`. */
export type Ended =
  | {
      readonly status: number;
      /** When the body began; undefined without one. */
      readonly firstMs: number | undefined;
      readonly endMs: number;
    }
  | { readonly failure: string };

const TIMEOUT_MS = 60_000;
/** All connections read into the same buffer and keep none of it. */
const BYTES = Buffer.alloc(65_536);

/** `onEnd` is called once per request and may send the next. */
export function createConnection(
  { host, port }: { readonly host: string; readonly port: number },
  onEnd: (ended: Ended) => void,
): Connection {
  const answer = createAnswerReader();
  let socket: Socket | undefined;
  let waiting = false;
  let heardMs = 0;
  let firstMs: number | undefined;

  function open(): Socket {
    const onread = { buffer: BYTES, callback: read };
    const opened = connect({ host, port, noDelay: true, onread });
    let why = 'closed before the end';
    const closed = (): void => {
      // An abandoned socket must not affect later requests.
      if (opened !== socket) return;
      giveUp();
      if (!waiting) return;
      if (answer.endsByClose()) succeed();
      else fail(why);
    };
    opened.on('error', (error: NodeJS.ErrnoException) => (why = error.code ?? error.message));
    return opened.on('end', closed).on('close', closed);
  }

  function read(count: number): boolean {
    heardMs = performance.now();
    try {
      answer.read(BYTES.subarray(0, count));
    } catch (error) {
      if (waiting) fail((error as Error).message);
      else giveUp();
      return false;
    }
    if (answer.begun()) firstMs ??= heardMs;
    if (answer.ended()) succeed();
    return true;
  }

  function succeed(): void {
    if (!answer.persists()) giveUp();
    waiting = false;
    onEnd({ status: answer.status(), firstMs, endMs: heardMs });
  }

  function fail(failure: string): void {
    giveUp();
    waiting = false;
    onEnd({ failure });
  }

  function giveUp(): void {
    const given = socket;
    socket = undefined;
    given?.destroy();
  }

  return {
    send: (request) => {
      answer.reset();
      waiting = true;
      firstMs = undefined;
      heardMs = performance.now();
      socket ??= open();
      socket.write(request);
    },
    expire: (nowMs) => {
      if (waiting && nowMs - heardMs > TIMEOUT_MS) fail('timeout');
    },
    close: giveUp,
  };
}
