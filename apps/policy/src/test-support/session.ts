import type {
  AuthorizeReply__Output,
  AuthorizeRequest,
  ExtendReply__Output,
  ExtendRequest,
  PolicyClient,
  SessionItem,
  SessionReply__Output,
  SessionResult__Output,
  SettleReply__Output,
  SettleRequest,
} from '@tollgate/contracts/node';
import { openStream } from '@tollgate/kit';

/** A session as an edge opens it. */
export interface TestSession {
  readonly authorize: (request: AuthorizeRequest) => Promise<AuthorizeReply__Output>;
  readonly extend: (request: ExtendRequest) => Promise<ExtendReply__Output>;
  readonly settle: (request: SettleRequest) => Promise<SettleReply__Output>;
  /** Floats that policy has asked to adopt. */
  readonly adopts: string[];
  /** The connection breaks: nobody hears what comes. */
  readonly break: () => void;
  readonly end: () => void;
}

/** `adoptsFloats`: as edges of this release say it. */
export function openSession(
  client: PolicyClient,
  { adoptsFloats = true }: { adoptsFloats?: boolean } = {},
): TestSession {
  const stream = openStream(client, 'session');
  const waiting = new Map<number, PromiseWithResolvers<SessionResult__Output>>();
  const adopts: string[] = [];
  let items = 0;
  let failure: Error | undefined;
  stream.on('data', (frame: SessionReply__Output) => {
    adopts.push(...frame.adoptFloats);
    for (const result of frame.results) waiting.get(result.correlationId)?.resolve(result);
  });
  const fail = (error: Error): void => {
    failure = error;
    for (const one of waiting.values()) one.reject(error);
  };
  stream.on('error', fail);
  stream.on('end', () => fail(new Error('the session has ended')));
  stream.write({ items: [], adoptsFloats });
  const send = async (item: SessionItem): Promise<SessionResult__Output> => {
    if (failure !== undefined) throw failure;
    const correlationId = (items += 1);
    const answered = Promise.withResolvers<SessionResult__Output>();
    waiting.set(correlationId, answered);
    stream.write({ items: [{ correlationId, ...item }] });
    const result = await answered.promise;
    waiting.delete(correlationId);
    const { failure: refused } = result;
    if (refused) throw new Error(`${refused.code}: ${refused.message}`);
    return result;
  };
  const given = <T>(reply: T | null | undefined): T => {
    if (reply === null || reply === undefined) throw new Error('the item has another answer');
    return reply;
  };
  return {
    authorize: async (authorize) => given((await send({ authorize })).authorize),
    extend: async (extend) => given((await send({ extend })).extend),
    settle: async (settle) => given((await send({ settle })).settle),
    adopts,
    break: () => stream.cancel(),
    end: () => stream.end(),
  };
}
