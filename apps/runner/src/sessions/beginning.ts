import type { ServerResponse } from 'node:http';

import type { Message } from '../messages';
import { refusalHeaders, refusalText, type Refusal } from './refusal';

export interface Beginning {
  /** False: the response is to another request. */
  readonly accept: (message: Extract<Message, { kind: 'response' }>, text: string) => boolean;
  /** Answers why there is no session; the caller ends it. */
  readonly fail: (refusal: Refusal) => void;
}

export interface BeginningOptions {
  readonly request: Extract<Message, { kind: 'request' }>;
  readonly response: ServerResponse;
  /** Of the answer that begins the session. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Ends the session. */
  readonly close: () => void;
}

/** The wait for the result of `initialize`, without which there is no session. */
export function createBeginning(options: BeginningOptions): Beginning {
  const { request, response, headers, close } = options;
  let done = false;
  const answer = (status: number, text: string, more: Readonly<Record<string, string>>): void => {
    if (done) return;
    done = true;
    clearTimeout(timer);
    response.writeHead(status, { ...more, 'content-type': 'application/json' }).end(text);
  };
  const fail = (refusal: Refusal): void =>
    answer(refusal.status, refusalText(refusal, request.id), refusalHeaders(refusal));
  const timer = setTimeout(() => {
    const message = 'The MCP server did not answer initialize in time.';
    fail({ status: 504, code: 'server_silent', message });
    close();
  }, options.timeoutMs);
  // The client left before it learned the session's id.
  response.once('close', () => {
    if (done) return;
    done = true;
    clearTimeout(timer);
    close();
  });
  return {
    accept: (message, text) => {
      if (message.id !== request.id) return false;
      const refused = message.errorCode !== undefined;
      answer(200, text, refused ? {} : headers);
      if (refused) close();
      return true;
    },
    fail,
  };
}
