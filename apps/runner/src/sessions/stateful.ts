// One session of the revisions up to 2025-11-25: a channel of its own, so ids and progress tokens pass
// unchanged. The pipe does not say which request a message belongs to, and HTTP has a stream for each
// request: ./routes.ts decides it.
import type { ServerResponse } from 'node:http';

import type { OpenChannel } from '../channels';
import { cancelText, readMessage, type Message, type RequestId } from '../messages';
import { createBeginning, type Beginning } from './beginning';
import { createPressure } from './pressure';
import { refusalText, SERVER_BUSY, SERVER_SILENT, serverEnded, type Refusal } from './refusal';
import { createRoutes, STANDALONE, type Route, type Routes } from './routes';
import { createSilenceWatch, type SilenceWatch } from './silence';
import { createStreams, type Streams } from './streams';

export interface SessionOptions {
  readonly open: OpenChannel;
  /** Headers of the answer that begins the session. */
  readonly headers: Readonly<Record<string, string>>;
  readonly nowMs: () => number;
  readonly startTimeoutMs: number;
  /** How long the server may say nothing about a request, and a client may not read. */
  readonly silenceMs: number;
  /** A line of the server that is no message. */
  readonly malformed: () => void;
  /** Ends the session where it is registered. */
  readonly close: () => void;
}

type Request = Extract<Message, { kind: 'request' }>;

export interface StatefulSession {
  /** Sends `initialize`, and answers with its result. */
  readonly begin: (message: Request, text: string, response: ServerResponse) => void;
  readonly post: (message: Message, text: string, response: ServerResponse) => Refusal | undefined;
  /** Opens the session's own stream, or the one that `lastEventId` is of. */
  readonly listen: (
    lastEventId: string | undefined,
    response: ServerResponse,
  ) => Refusal | undefined;
  /** Ends the session's own stream; its client opens another one elsewhere, or resumes it. */
  readonly stopListening: () => void;
  readonly usedMs: () => number;
  /** Whether a client waits for something. */
  readonly inUse: () => boolean;
  /** Whether the server has said anything. */
  readonly hasAnswered: () => boolean;
  readonly close: () => Promise<void>;
  readonly ended: Promise<string>;
}

/** Limit of requests of one session that have no response yet. */
const MAX_UNANSWERED = 256;
/** A stream begins after this silence. */
const SILENCE_MS = 1_000;
/** Since this revision, streams begin with an event without data. */
const PRIMED_SINCE = '2025-11-25';

const TOO_MANY: Refusal = {
  status: 429,
  code: 'server_busy',
  message: `The session has ${MAX_UNANSWERED} requests without a response. Wait for one of them.`,
};
const UNKNOWN_EVENT: Refusal = {
  status: 400,
  code: 'invalid_request',
  message: 'The header Last-Event-ID is not an event of this session.',
};

export function createStatefulSession(options: SessionOptions): StatefulSession {
  const { nowMs } = options;
  const routes = createRoutes();
  const pressure = createPressure(() => channel, options.silenceMs);
  const streams = createStreams(() => protocolVersion >= PRIMED_SINCE, pressure);
  const silence = createSilenceWatch<number>(options.silenceMs, (stream) => {
    const id = giveUp(stream, routes, streams);
    if (id !== undefined) channel.send(cancelText(id));
  });
  let beginning: Beginning | undefined;
  let protocolVersion = '';
  let usedMs = nowMs();
  let answered = false;
  let listened = false;

  const channel = options.open((text) => {
    const message = readMessage(text);
    if (message === undefined) return options.malformed();
    answered = true;
    usedMs = nowMs();
    if (message.kind === 'response' && beginning?.accept(message, text)) {
      protocolVersion = message.protocolVersion ?? '';
      beginning = undefined;
      return;
    }
    const route = routes.of(message, listened);
    if (route !== undefined) deliver({ silence, streams }, route, text);
  });
  const ended = channel.ended.then((reason) => {
    silence.stop();
    const refusal = serverEnded(reason);
    beginning?.fail(refusal);
    streams.endAll((stream) => lastText(refusal, routes.idOf(stream)), refusal);
    return reason;
  });

  return {
    begin: (request, text, response) => {
      const { headers, startTimeoutMs: timeoutMs, close } = options;
      beginning = createBeginning({ request, response, headers, timeoutMs, close });
      if (channel.send(text)) return;
      beginning.fail(SERVER_BUSY);
      close();
    },
    post: (message, text, response) => {
      usedMs = nowMs();
      if (message.kind === 'request' && routes.unanswered() >= MAX_UNANSWERED) return TOO_MANY;
      if (!channel.send(text)) return SERVER_BUSY;
      if (message.kind !== 'request') {
        response.writeHead(202).end();
        return undefined;
      }
      const stream = routes.add(message);
      silence.heard(stream);
      streams.attach(stream, response, SILENCE_MS);
      return undefined;
    },
    listen: (lastEventId, response) => {
      usedMs = nowMs();
      listened = true;
      if (lastEventId !== undefined) return resume({ routes, streams }, lastEventId, response);
      streams.attach(STANDALONE, response, 0);
      return undefined;
    },
    stopListening: () => streams.end(STANDALONE),
    usedMs: () => usedMs,
    inUse: () => beginning !== undefined || streams.readers() > 0,
    hasAnswered: () => answered,
    close: () => channel.close(),
    ended,
  };
}

interface Parts {
  readonly routes: Routes;
  readonly silence: SilenceWatch<number>;
  readonly streams: Streams;
}

function deliver(
  { silence, streams }: Pick<Parts, 'silence' | 'streams'>,
  { stream, last }: Route,
  text: string,
): void {
  if (last) silence.forget(stream);
  else if (stream !== STANDALONE) silence.heard(stream);
  streams.deliver(stream, text, last);
}

function resume(
  { routes, streams }: Pick<Parts, 'routes' | 'streams'>,
  lastEventId: string,
  response: ServerResponse,
): Refusal | undefined {
  const isOpen = (stream: number): boolean =>
    stream === STANDALONE || routes.idOf(stream) !== undefined;
  const resumed = streams.resume(lastEventId, response, isOpen);
  return resumed === undefined ? UNKNOWN_EVENT : undefined;
}

/** Ends a request that its server says nothing about; returns its id. */
function giveUp(stream: number, routes: Routes, streams: Streams): RequestId | undefined {
  const id = routes.idOf(stream);
  if (id === undefined) return undefined;
  routes.drop(stream);
  streams.refuse(stream, refusalText(SERVER_SILENT, id), SERVER_SILENT);
  return id;
}

function lastText(refusal: Refusal, id: RequestId | undefined): string | undefined {
  return id === undefined ? undefined : refusalText(refusal, id);
}
