// The requests that wait for a server of the stateless revision. Their clients may use the same ids, so
// ids and progress tokens get numbers of this channel on the way in, and their own values on the way out.
import {
  cancelText,
  META_SUBSCRIPTION,
  replaceValues,
  type Message,
  type Replacement,
  type RequestId,
} from '../messages';
import { refusalText, SERVER_SILENT, type Refusal } from './refusal';
import type { Reply } from './reply';
import { createSilenceWatch } from './silence';

interface Running {
  readonly reply: Reply;
  readonly id: RequestId;
  readonly token: RequestId | undefined;
  readonly listens: boolean;
}

export interface RunningRequests {
  readonly size: () => number;
  /** The number that the next request gets. */
  readonly next: () => number;
  /** The server has been given the request. */
  readonly add: (number: number, request: Running) => void;
  /** Its client has left. */
  readonly leave: (number: number) => void;
  /** A cancelled request may be answered all the same; nobody waits for it. */
  readonly respond: (message: Extract<Message, { kind: 'response' }>, text: string) => void;
  readonly notify: (message: Extract<Message, { kind: 'notification' }>, text: string) => void;
  readonly endAll: (refusal: Refusal) => void;
}

export interface RunningOptions {
  readonly silenceMs: number;
  readonly send: (text: string) => void;
}

const METHOD_NOT_FOUND = -32_601;
/** Errors that refuse a request before a handler runs have statuses of their own. */
const STATUS_OF_ERROR: Readonly<Record<number, number>> = {
  [METHOD_NOT_FOUND]: 404,
  [-32_020]: 400,
  [-32_021]: 400,
  [-32_022]: 400,
};

export function createRunningRequests({ send, silenceMs }: RunningOptions): RunningRequests {
  const running = new Map<number, Running>();
  let last = 0;
  const refuse = ({ id, reply }: Running, refusal: Refusal): void =>
    reply.finish({ text: refusalText(refusal, id) }, { status: refusal.status, refused: refusal });
  const silence = createSilenceWatch<number>(silenceMs, (number) => {
    const request = running.get(number);
    if (!request) return;
    running.delete(number);
    refuse(request, SERVER_SILENT);
    send(cancelText(String(number)));
  });
  /** One that names no request most likely belongs to the latest. */
  const numberFor = (named: RequestId | undefined): number | undefined =>
    named === undefined
      ? [...running].findLast(([, { listens }]) => !listens)?.[0]
      : numberOf(named);

  return {
    size: () => running.size,
    next: () => {
      last += 1;
      return last;
    },
    add: (number, request) => {
      running.set(number, request);
      // A subscription may be silent for as long as it lasts.
      if (!request.listens) silence.heard(number);
    },
    leave: (number) => {
      silence.forget(number);
      if (running.delete(number)) send(cancelText(String(number)));
    },
    respond: ({ id, errorCode }, text) => {
      const number = numberOf(id);
      silence.forget(number);
      const request = running.get(number);
      if (request === undefined) return;
      running.delete(number);
      const own = replaceValues(text, [
        { path: ['id'], json: request.id },
        ...subscriptionOf('result', request),
      ]);
      const status = errorCode === undefined ? 200 : (STATUS_OF_ERROR[errorCode] ?? 200);
      request.reply.finish({ text: own }, { status });
    },
    notify: ({ progressToken, subscriptionId }, text) => {
      const number = numberFor(subscriptionId ?? progressToken);
      const request = number === undefined ? undefined : running.get(number);
      if (number === undefined || request === undefined) return;
      const { listens, reply, token } = request;
      if (!listens) silence.heard(number);
      const tokens =
        token === undefined || progressToken === undefined
          ? []
          : [{ path: ['params', 'progressToken'], json: token }];
      reply.event({ text: replaceValues(text, [...subscriptionOf('params', request), ...tokens]) });
    },
    endAll: (refusal) => {
      silence.stop();
      for (const request of running.values()) refuse(request, refusal);
      running.clear();
    },
  };
}

function numberOf(id: RequestId): number {
  return /^\d{1,15}$/.test(id) ? Number(id) : Number.NaN;
}

/** A subscription is named by the id of its request. */
function subscriptionOf(member: 'params' | 'result', { id, listens }: Running): Replacement[] {
  if (!listens) return [];
  return [{ path: [member, '_meta', META_SUBSCRIPTION], json: id }];
}
