// The transport of 2024-11-05: a GET opens a stream whose first event names the address to POST to,
// and every message of the server comes on that stream.
import type { AddressRules } from '@tollgate/contracts/node';
import type { Logger } from '@tollgate/kit';
import { request, type Dispatcher } from 'undici';

import { MAX_MESSAGE_BYTES, MAX_UNREAD_BYTES, type Channel, type OpenChannel } from './channel';
import { createSseAgent } from './sse-agent';
import type { SseAuth } from './sse-auth';
import { createSseReader } from './sse-events';

/** Limit of the body of an answer that says nothing. */
const MAX_DUMPED_BYTES = 64 * 1024;

export interface SseTarget {
  readonly url: URL;
  /** Of the server's row; those of `auth` replace them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: SseAuth;
  readonly connectMs: number;
  /** Longest wait for the answer's headers. */
  readonly answerMs: number;
}

export interface SseDeps {
  readonly rules: AddressRules;
  readonly log: Logger;
}

export function openSse(target: SseTarget, { rules, log }: SseDeps): OpenChannel {
  return (onMessage) => {
    const agent = createSseAgent(target.url, target.connectMs, rules);
    const abort = new AbortController();
    let endpoint: URL | undefined;
    let waiting: string[] = [];
    let waitingBytes = 0;

    const post = (text: string, to: URL): void => {
      waitingBytes += text.length;
      sendPost(target, agent, abort.signal, to, text).then(
        () => {
          waitingBytes -= text.length;
        },
        (error: unknown) => {
          log.warn('a message could not be posted', { error });
          abort.abort(error);
        },
      );
    };
    const reader = createSseReader(MAX_MESSAGE_BYTES, ({ name, data }) => {
      if (name === 'endpoint' && endpoint === undefined) {
        endpoint = endpointOf(data, target.url);
        for (const text of waiting) post(text, endpoint);
        waitingBytes -= waiting.reduce((sum, text) => sum + text.length, 0);
        waiting = [];
      } else if (name === 'message') onMessage(data);
    });
    const gate = createGate();
    const ended = readStream(target, agent, abort.signal, { push: reader.push, open: gate.open })
      .catch((error: unknown) => reasonOf(abort.signal.aborted ? abort.signal.reason : error))
      .finally(() => {
        abort.abort();
        gate.resume();
        void agent.destroy();
      });
    const channel: Channel = {
      send: (text) => {
        if (waitingBytes > MAX_UNREAD_BYTES) return false;
        if (endpoint === undefined) {
          waiting.push(text);
          waitingBytes += text.length;
        } else post(text, endpoint);
        return true;
      },
      pause: gate.pause,
      resume: gate.resume,
      ended,
      close: async () => {
        abort.abort(new Error('closed'));
        gate.resume();
        await ended;
      },
    };
    return channel;
  };
}

/** `open` resolves unless it is paused, and else when it is resumed. */
function createGate() {
  let waiting: PromiseWithResolvers<void> | undefined;
  return {
    open: () => waiting?.promise ?? Promise.resolve(),
    pause: (): void => {
      waiting ??= Promise.withResolvers();
    },
    resume: (): void => {
      waiting?.resolve();
      waiting = undefined;
    },
  };
}

/** Messages go only to the host that the operator's row names, whatever its stream says. */
function endpointOf(text: string, base: URL): URL {
  const url = URL.canParse(text, base.href) ? new URL(text, base) : undefined;
  if (url?.origin !== base.origin) throw new Error('it named an endpoint on another origin');
  return url;
}

/** Sends a request again, once, if the server refused a token and there is a newer one. */
async function authorised(
  { auth, headers }: SseTarget,
  send: (headers: Readonly<Record<string, string>>) => Promise<Dispatcher.ResponseData>,
): Promise<Dispatcher.ResponseData> {
  const own = await auth.headers();
  const answer = await send({ ...headers, ...own });
  if (answer.statusCode !== 401 || !auth.refused(own)) return answer;
  await answer.body.dump({ limit: MAX_DUMPED_BYTES });
  return send({ ...headers, ...(await auth.headers()) });
}

async function readStream(
  target: SseTarget,
  dispatcher: Dispatcher,
  signal: AbortSignal,
  { push, open }: { push: (text: string) => boolean; open: () => Promise<void> },
): Promise<string> {
  const answer = await authorised(target, (headers) =>
    request(target.url, {
      dispatcher,
      signal,
      headers: { ...headers, accept: 'text/event-stream' },
      headersTimeout: target.answerMs,
      // A server without news is silent for as long as the session lasts.
      bodyTimeout: 0,
    }),
  );
  const type = String(answer.headers['content-type'] ?? '');
  if (answer.statusCode !== 200 || !type.startsWith('text/event-stream')) {
    answer.body.destroy();
    throw new Error(`it answered the stream's request with status ${answer.statusCode}`);
  }
  const decoder = new TextDecoder();
  for await (const chunk of answer.body) {
    if (!push(decoder.decode(chunk as Buffer, { stream: true }))) {
      throw new Error(`it sent an event of more than ${MAX_MESSAGE_BYTES} characters`);
    }
    await open();
  }
  return 'it ended its stream';
}

async function sendPost(
  target: SseTarget,
  dispatcher: Dispatcher,
  signal: AbortSignal,
  to: URL,
  body: string,
): Promise<void> {
  const { answerMs } = target;
  const answer = await authorised(target, (headers) =>
    request(to, {
      dispatcher,
      method: 'POST',
      signal,
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      headersTimeout: answerMs,
      bodyTimeout: answerMs,
    }),
  );
  await answer.body.dump({ limit: MAX_DUMPED_BYTES });
  if (answer.statusCode >= 300) {
    throw new Error(`it answered a message with status ${answer.statusCode}`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
