// Takes a request's body in, as far as the gateway may: little of a stranger's, all of a body whose key is
// valid, and never more than there is room for.

import type { IncomingMessage } from 'node:http';
import { gatewayError } from '@tollgate/contracts';
import type { ByteLease } from './byte-budget';

/** The client has gone: there is nobody to answer, and nothing went wrong. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

export type BodyOptions = {
  limitBytes: number;
  lease: ByteLease;
  /**
   * Resolves when the key is valid; asked before more than `OPEN_BYTES` are read.
   * @returns whose bytes they are
   * @throws GatewayError `invalid_api_key`, `dependency_unavailable`
   */
  confirm: () => string | Promise<string>;
};

/** What may be read before anybody knows whose it is. */
export const OPEN_BYTES = 64 * 1024;
/** How long a large body may pause between two pieces. */
const IDLE_MS = 30_000;
const RETRY_AFTER_MS = 1_000;
/** A body of unknown length is gathered in pieces up to here. */
const GATHERED_BYTES = 1024 * 1024;

/**
 * The whole body of a request. A large one is in a memory of its own.
 * @throws GatewayError `invalid_request` naming the limit, `overloaded`, or what `confirm` throws; ClientGone
 */
export async function readBody(req: IncomingMessage, options: BodyOptions): Promise<Buffer> {
  const { limitBytes, lease, confirm } = options;
  const declared = declaredBytes(req);
  if (declared !== undefined && declared > limitBytes) throw bodyTooLarge(limitBytes);
  if (declared !== undefined && declared > OPEN_BYTES) {
    lease.confirm(await confirm());
    takeRoom(lease, declared);
    return collect(req, { into: Buffer.allocUnsafeSlow(declared), limitBytes: declared });
  }
  // Strangers may have used up what there is for them: then it is worth asking who this is.
  if (!lease.take(declared ?? OPEN_BYTES)) {
    await confirm();
    lease.confirm();
    takeRoom(lease, declared ?? OPEN_BYTES);
  }
  if (declared !== undefined) return collect(req, { limitBytes });
  const more = async (): Promise<void> => lease.confirm(await confirm());
  return collect(req, { limitBytes, more, take: (bytes) => takeRoom(lease, bytes) });
}

/**
 * A body of a few fields, for routes beside those of models.
 * @throws GatewayError `invalid_request` naming the limit; ClientGone
 */
export async function readSmallBody(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  if ((declaredBytes(req) ?? 0) > limitBytes) throw bodyTooLarge(limitBytes);
  return collect(req, { limitBytes });
}

/** Undefined: it comes in chunks, and says so only at its end. */
function declaredBytes(req: IncomingMessage): number | undefined {
  if (req.headers['transfer-encoding'] !== undefined) return undefined;
  return Number(req.headers['content-length'] ?? 0);
}

/** @throws GatewayError `overloaded` */
export function takeRoom(lease: ByteLease, bytes: number): void {
  if (lease.take(bytes)) return;
  const text =
    'The gateway holds as many large request bodies as it can right now. Send the request again in a second.';
  throw gatewayError('overloaded', text, {
    retryAfterMs: RETRY_AFTER_MS,
    details: { resource: 'request bodies' },
  });
}

export function bodyTooLarge(limitBytes: number) {
  return gatewayError('invalid_request', `The body is larger than ${limitBytes} bytes.`, {
    details: { limitBytes },
  });
}

type Collected = {
  limitBytes: number;
  /** Where the bytes go when their number is known. */
  into?: Buffer;
  /** Asked once, before more than `OPEN_BYTES` are taken. */
  more?: () => Promise<void>;
  /** Takes room for bytes beyond `OPEN_BYTES`. */
  take?: (bytes: number) => void;
};

function collect(req: IncomingMessage, { limitBytes, into, more, take }: Collected) {
  return new Promise<Buffer>((resolve, reject) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    let asked = false;
    // Small bodies come in one piece or two, and need no timer.
    let target = into;
    let idle = into ? setTimeout(() => fail(tooSlow()), IDLE_MS) : undefined;

    const fail = (error: unknown): void => {
      clearTimeout(idle);
      req.pause();
      req.removeAllListeners('data');
      chunks = [];
      reject(error);
    };
    const ask = (confirmed: () => Promise<void>): void => {
      asked = true;
      req.pause();
      confirmed().then(
        () => {
          idle ??= setTimeout(() => fail(tooSlow()), IDLE_MS);
          req.resume();
        },
        (error: unknown) => fail(error),
      );
    };
    req.on('data', (chunk: Buffer) => {
      const before = bytes;
      bytes += chunk.length;
      idle?.refresh();
      if (bytes > limitBytes) return fail(bodyTooLarge(limitBytes));
      if (!target && bytes > GATHERED_BYTES) {
        // Of memory that nobody has touched yet nothing is taken, so all there may be is asked for at once.
        target = Buffer.allocUnsafeSlow(limitBytes);
        Buffer.concat(chunks).copy(target);
        chunks = [];
      }
      if (target) chunk.copy(target, before);
      else chunks.push(chunk);
      if (into || bytes <= OPEN_BYTES || !more) return undefined;
      try {
        take?.(bytes - Math.max(before, OPEN_BYTES));
      } catch (error) {
        return fail(error);
      }
      if (!asked) ask(more);
      return undefined;
    });
    req.on('end', () => {
      clearTimeout(idle);
      const [only] = chunks;
      if (target) resolve(target.subarray(0, bytes));
      else resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks, bytes));
      // The request lives as long as its answer; what it was made of need not.
      chunks = [];
    });
    req.on('close', () => {
      if (!req.complete) fail(new ClientGone('the client closed its connection'));
    });
    req.on('error', () => fail(new ClientGone('the connection of the client broke')));
    // It may have gone while its key was confirmed.
    if (req.destroyed && !req.complete) fail(new ClientGone('the client closed its connection'));
  });
}

function tooSlow() {
  const text = `The body paused for more than ${IDLE_MS / 1_000} seconds.`;
  return gatewayError('invalid_request', text, { details: { idleMs: IDLE_MS } });
}
