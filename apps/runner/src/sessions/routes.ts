// Which of a session's streams a message of the server goes to. A response goes to its request's,
// progress to that of its token. Other messages do not say what they belong to: what a server asks or
// logs most likely belongs to the latest request that it works on, and news about the server to the
// session's own stream.
import type { Message, RequestId } from '../messages';

/** The session's own stream, which a GET opens. */
export const STANDALONE = 0;

/** Where a message goes. `last`: the stream ends with it. */
export interface Route {
  readonly stream: number;
  readonly last: boolean;
}

export interface Routes {
  /** Returns the number of the stream of a request. */
  readonly add: (request: Extract<Message, { kind: 'request' }>) => number;
  /** `listened`: a client has opened the session's own stream. Undefined: it is for nobody. */
  readonly of: (message: Message, listened: boolean) => Route | undefined;
  /** The request of a stream; undefined: it has its response, or is the session's own. */
  readonly idOf: (stream: number) => RequestId | undefined;
  /** Gives up the request of a stream. */
  readonly drop: (stream: number) => void;
  readonly unanswered: () => number;
}

interface Open {
  readonly stream: number;
  readonly id: RequestId;
  readonly token: RequestId | undefined;
}

/** The id of an error about a request that the server could not read. */
const NO_ID = 'null';
const NEWS = /^notifications\/(?:(?:tools|prompts|resources)\/list_changed|resources\/updated)$/;

export function createRoutes(): Routes {
  const open = new Map<string, Open>();
  let streams = STANDALONE;
  const latest = (): number => [...open.values()].at(-1)?.stream ?? STANDALONE;

  return {
    add: ({ id, progressToken }) => {
      streams += 1;
      // A client that repeats an id gets one response, on the newer stream.
      open.delete(id);
      open.set(id, { stream: streams, id, token: progressToken });
      return streams;
    },
    of: (message, listened) => {
      if (message.kind === 'response') {
        if (message.id === NO_ID) return { stream: STANDALONE, last: false };
        const stream = open.get(message.id)?.stream;
        open.delete(message.id);
        // Nobody waits for the response to a request that was given up.
        return stream === undefined ? undefined : { stream, last: true };
      }
      if (message.kind === 'notification' && message.progressToken !== undefined) {
        const row = [...open.values()].find(({ token }) => token === message.progressToken);
        if (row !== undefined) return { stream: row.stream, last: false };
      }
      const isNews = message.kind === 'notification' && NEWS.test(message.method);
      return { stream: isNews && listened ? STANDALONE : latest(), last: false };
    },
    idOf: (stream) => [...open.values()].find((one) => one.stream === stream)?.id,
    drop: (stream) => {
      for (const [id, row] of open) if (row.stream === stream) open.delete(id);
    },
    unanswered: () => open.size,
  };
}
