import { EventEmitter } from 'node:events';

import type { ClientReply } from '../client-reply';

/** The answer to a shadow: it is discarded as it comes, and never waits. */
export class DiscardedReply extends EventEmitter implements ClientReply {
  headersSent = false;
  writableEnded = false;
  writableFinished = false;
  readonly writableNeedDrain = false;
  #closed = false;

  setHeader(): void {
    // Nobody reads it.
  }

  writeHead(): void {
    this.headersSent = true;
  }

  flushHeaders(): void {
    this.headersSent = true;
  }

  write(): boolean {
    this.headersSent = true;
    return true;
  }

  end(): void {
    this.headersSent = true;
    this.writableEnded = true;
    this.writableFinished = true;
    this.#close();
  }

  /** Ends the request as if its client had left. */
  destroy(): void {
    this.#close();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.emit('close');
  }
}
