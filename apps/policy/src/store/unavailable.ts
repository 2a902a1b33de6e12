import { ErrorReply } from 'redis';

/** Redis is away, frozen, full or not yet connected: the call had no effect. */
export class StoreUnavailableError extends Error {
  override readonly name: string = 'StoreUnavailableError';
}

/** The call was sent, and what became of it is not known: it may have taken effect. */
export class UnansweredError extends StoreUnavailableError {
  override readonly name: string = 'UnansweredError';
}

/** The server answered others meanwhile, but not this call in time: it has too much to do. */
export class SlowError extends UnansweredError {
  override readonly name = 'SlowError';
}

/** The key lies on another server of the cluster now, or is on its way there. */
export class MovedError extends StoreUnavailableError {
  override readonly name: string = 'MovedError';
}

// Answers of a server that is there but can't serve now, by the first word of its error.
const PASSING = new Set([
  'OOM',
  'LOADING',
  'BUSY',
  'MASTERDOWN',
  'READONLY',
  'CLUSTERDOWN',
  'TRYAGAIN',
  'NOREPLICAS',
  'MISCONF',
  'NOAUTH',
  'WRONGPASS',
]);

/** What an error of the client, or an error answer of the server, means to the caller. */
export function classified(error: unknown): Error {
  const known = error instanceof Error ? error : new Error(String(error));
  // An argument that can't be is the caller's mistake, found before anything was sent.
  if (known instanceof RangeError || known instanceof TypeError) return known;
  const word = known.message.split(' ', 1)[0] ?? '';
  if (word === 'MOVED' || word === 'ASK') return new MovedError(known.message, { cause: known });
  if (known instanceof StoreUnavailableError) return known;
  // What is not an error answer of the server is the connection's, which broke with the call on it.
  if (!(known instanceof ErrorReply)) return new UnansweredError(known.message, { cause: known });
  return PASSING.has(word) ? new StoreUnavailableError(known.message, { cause: known }) : known;
}
