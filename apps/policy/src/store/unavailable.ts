import { ErrorReply } from 'redis';

/** Redis is away, frozen, full or not yet connected: the call had no effect. */
export class StoreUnavailableError extends Error {
  override readonly name: string = 'StoreUnavailableError';
}

/** The call was sent without a reply: it may have taken effect. */
export class UnansweredError extends StoreUnavailableError {
  override readonly name: string = 'UnansweredError';
}

/** The server replied to others meanwhile, but not to this call in time: it is overloaded. */
export class SlowError extends UnansweredError {
  override readonly name = 'SlowError';
}

/** The server is out of memory for what it would have to keep. */
export class FullError extends StoreUnavailableError {
  override readonly name = 'FullError';
}

/** The key is on another server of the cluster now, or is being moved there. */
export class MovedError extends StoreUnavailableError {
  override readonly name: string = 'MovedError';
}

// Error words of a server that is running but cannot serve now.
const PASSING = new Set([
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

/** Maps an error of the client, or an error reply of the server, to what it means to the caller. */
export function classified(error: unknown): Error {
  const known = error instanceof Error ? error : new Error(String(error));
  // An invalid argument is the caller's mistake, found before anything was sent.
  if (known instanceof RangeError || known instanceof TypeError) return known;
  const word = known.message.split(' ', 1)[0] ?? '';
  if (word === 'MOVED' || word === 'ASK') return new MovedError(known.message, { cause: known });
  if (known instanceof StoreUnavailableError) return known;
  // Anything but an error reply is a failure of the connection during the call.
  if (!(known instanceof ErrorReply)) return new UnansweredError(known.message, { cause: known });
  if (word === 'OOM') return new FullError(known.message, { cause: known });
  return PASSING.has(word) ? new StoreUnavailableError(known.message, { cause: known }) : known;
}
