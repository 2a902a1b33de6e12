// Servers of the stateless revision (2026-07-28): all requests of one principal share a channel, since
// nothing in the protocol ties a request to a session.
import type { ServerResponse } from 'node:http';

import type { Channel, OpenChannel } from '../channels';
import { errorText, readMessage, replaceValues, type Message } from '../messages';
import { createPressure } from './pressure';
import { SERVER_BUSY, serverEnded, type Refusal } from './refusal';
import { createReply } from './reply';
import { createRunningRequests } from './running-requests';

export interface StatelessOptions {
  readonly open: OpenChannel;
  readonly nowMs: () => number;
  /** How long the server may say nothing about a request, and a client may not read. */
  readonly silenceMs: number;
  readonly malformed: () => void;
  /** Called when the server has refused everything so far: it may not speak this revision. */
  readonly unserved: () => void;
}

type Request = Extract<Message, { kind: 'request' }>;

export interface StatelessChannel {
  readonly post: (message: Request, text: string, response: ServerResponse) => Refusal | undefined;
  readonly usedMs: () => number;
  readonly inUse: () => boolean;
  readonly hasAnswered: () => boolean;
  readonly close: () => Promise<void>;
  readonly ended: Promise<string>;
}

const MAX_UNANSWERED = 256;
const SILENCE_MS = 1_000;
const METHOD_NOT_FOUND = -32_601;

const TOO_MANY: Refusal = {
  status: 429,
  code: 'server_busy',
  message: `This key has ${MAX_UNANSWERED} requests at the MCP server without a response. Wait for one of them.`,
};

export function createStatelessChannel(options: StatelessOptions): StatelessChannel {
  const { nowMs, silenceMs } = options;
  let usedMs = nowMs();
  let answered = false;
  let served = false;
  const pressure = createPressure(() => channel, silenceMs);
  const running = createRunningRequests({ silenceMs, send: (text) => channel.send(text) });

  const channel: Channel = options.open((text) => {
    const message = readMessage(text);
    if (message === undefined) return options.malformed();
    answered = true;
    usedMs = nowMs();
    if (message.kind === 'notification') return running.notify(message, text);
    if (message.kind === 'request') {
      // This revision has no requests of servers; one that waits for an answer would hang.
      channel.send(errorText(message.id, METHOD_NOT_FOUND, 'The client takes no requests.'));
      return;
    }
    running.respond(message, text);
    served ||= message.errorCode === undefined;
    if (!served && running.size() === 0) options.unserved();
  });
  const ended = channel.ended.then((reason) => {
    running.endAll(serverEnded(reason));
    return reason;
  });

  return {
    post: (message, text, response) => {
      usedMs = nowMs();
      if (running.size() >= MAX_UNANSWERED) return TOO_MANY;
      const number = running.next();
      const own = String(number);
      const sent = channel.send(
        replaceValues(text, [
          { path: ['id'], json: own },
          { path: ['params', '_meta', 'progressToken'], json: own },
        ]),
      );
      if (!sent) return SERVER_BUSY;
      const listens = message.method === 'subscriptions/listen';
      // In this revision, leaving is the cancel.
      const gone = (): void => running.leave(number);
      const reply = createReply(response, { pressure, silenceMs: SILENCE_MS, gone });
      running.add(number, { reply, id: message.id, token: message.progressToken, listens });
      return undefined;
    },
    usedMs: () => usedMs,
    inUse: () => running.size() > 0,
    hasAnswered: () => answered,
    close: () => channel.close(),
    ended,
  };
}
