/**
 * What the pipeline uses of the answer to a client: an HTTP answer, or the frames of one response on a
 * WebSocket.
 */
export interface ClientReply {
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  /** All of the answer is sent. */
  readonly writableFinished: boolean;
  /** The client is slower than the answer; `drain` follows. */
  readonly writableNeedDrain: boolean;
  setHeader: (name: string, value: string) => unknown;
  writeHead: (status: number, headers: Readonly<Record<string, string | number>>) => unknown;
  flushHeaders: () => void;
  write: (chunk: Buffer | string) => boolean;
  end(chunk?: Buffer | string): unknown;
  end(chunk: string, encoding: BufferEncoding): unknown;
  on: (event: 'close' | 'drain', listener: () => void) => unknown;
  destroy: () => unknown;
}
