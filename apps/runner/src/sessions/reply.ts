// The answer to one HTTP request, as JSON if the response is the first thing that comes, and else as
// a stream of events.
import type { ServerResponse } from 'node:http';

import type { StoredEvent } from './event-store';
import type { Pressure } from './pressure';
import { refusalHeaders, type Refusal } from './refusal';

export interface Reply {
  /** One message of a stream that goes on. */
  readonly event: (event: StoredEvent | { readonly id?: undefined; readonly text: string }) => void;
  /** The last message: the response. `head` applies if nothing was sent before. */
  readonly finish: (last: { readonly id?: string; readonly text: string }, head?: Head) => void;
  /** Ends a stream without a last message. */
  readonly end: () => void;
  readonly open: () => boolean;
}

export interface Head {
  readonly status: number;
  /** Given when the runner itself refuses, and not the server. */
  readonly refused?: Refusal;
}

export interface ReplyOptions {
  readonly pressure: Pressure;
  readonly headers?: Readonly<Record<string, string>>;
  /** Begins a stream after this silence, so that the client sees that it was heard. */
  readonly silenceMs?: number;
  /** The first event of a stream, which has an id and no data; undefined: none. */
  readonly prime?: () => StoredEvent | undefined;
  /** Called when the client leaves before the end. */
  readonly gone?: () => void;
}

export function createReply(response: ServerResponse, options: ReplyOptions): Reply {
  const { headers = {}, pressure, silenceMs, prime, gone } = options;
  let streaming = false;
  let done = false;

  const begin = (): void => {
    clearTimeout(silence);
    if (streaming) return;
    streaming = true;
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    response.flushHeaders();
    const first = prime?.();
    if (first !== undefined) response.write(`id: ${first.id}\ndata: \n\n`);
  };
  const silence = silenceMs === undefined ? undefined : setTimeout(begin, silenceMs);
  const finished = (): void => {
    done = true;
    clearTimeout(silence);
  };
  response.once('close', () => {
    if (done) return;
    finished();
    gone?.();
  });

  const write = ({
    id,
    text,
  }: {
    readonly id?: string | undefined;
    readonly text: string;
  }): void => {
    begin();
    const data = text.replaceAll(/\r\n|\r|\n/g, ' ');
    response.write(`${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${data}\n\n`);
    pressure.watch(response);
  };
  return {
    event: (event) => {
      if (!done) write(event);
    },
    finish: (last, head) => {
      if (done) return;
      if (streaming) write(last);
      finished();
      if (streaming) response.end();
      else {
        response
          .writeHead(head?.status ?? 200, {
            ...headers,
            ...(head?.refused === undefined ? {} : refusalHeaders(head.refused)),
            'content-type': 'application/json',
          })
          .end(last.text);
      }
    },
    end: () => {
      if (done) return;
      begin();
      finished();
      response.end();
    },
    open: () => !done,
  };
}
