// Reads a request's body: a little of a stranger's, all of one with a valid key, and never more
// than fits into the budget.

import type { IncomingMessage } from 'node:http';
import { gatewayError } from '@tollgate/contracts';

import type { ByteLease } from './byte-budget';

/** The client disconnected. This is not an error, and there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

export interface BodyOptions {
  limitBytes: number;
  lease: ByteLease;
  /**
   * Resolves if the key is valid. Called before more than `OPEN_BYTES` are read.
   * @returns the owner of the bytes
   * @throws GatewayError `invalid_api_key`, `dependency_unavailable`
   */
  confirm: () => string | Promise<string>;
  /** A hold waits for this body, so even a small one may pause for at most `IDLE_MS`. */
  held?: boolean;
}

/** The bytes read before the key is confirmed. */
export const OPEN_BYTES = 64 * 1024;
/** How long a large body may pause between two chunks. */
const IDLE_MS = 30_000;
const RETRY_AFTER_MS = 1_000;
/** A body of unknown length is collected in chunks up to this size. */
const GATHERED_BYTES = 1024 * 1024;

/**
 * Reads the whole body. A large one gets a buffer of its own.
 * @throws GatewayError `invalid_request` naming the limit, `overloaded`, or what `confirm` throws;
 * ClientGone
 */
export async function readBody(req: IncomingMessage, options: BodyOptions): Promise<Buffer> {
  const { limitBytes, lease, confirm, held } = options;
  const declared = declaredBytes(req);
  if (declared !== undefined && declared > limitBytes) throw bodyTooLarge(limitBytes);
  if (declared !== undefined && declared > OPEN_BYTES) {
    lease.confirm(await confirm());
    takeRoom(lease, declared);
    return collect(req, { into: Buffer.allocUnsafeSlow(declared), limitBytes: declared });
  }
  // If the strangers' part of the budget is used up, the key is confirmed first.
  if (!lease.take(declared ?? OPEN_BYTES)) {
    await confirm();
    lease.confirm();
    takeRoom(lease, declared ?? OPEN_BYTES);
  }
  if (declared !== undefined) return collect(req, { limitBytes, timed: held });
  const more = async (): Promise<void> => lease.confirm(await confirm());
  const take = (bytes: number): void => takeRoom(lease, bytes);
  return collect(req, { limitBytes, more, take, timed: held });
}

/**
 * Reads a body with a few fields, for routes other than those of models.
 * @throws GatewayError `invalid_request` naming the limit; ClientGone
 */
export async function readSmallBody(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  if ((declaredBytes(req) ?? 0) > limitBytes) throw bodyTooLarge(limitBytes);
  return collect(req, { limitBytes });
}

/** Undefined: the body is chunked, and its length is unknown until its end. */
export function declaredBytes(req: IncomingMessage): number | undefined {
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

interface Collected {
  limitBytes: number;
  /** The target buffer, if the length is known. */
  into?: Buffer;
  /** Small bodies are timed, too. */
  timed?: boolean | undefined;
  /** Called once, before more than `OPEN_BYTES` are taken. */
  more?: () => Promise<void>;
  /** Takes memory for bytes beyond `OPEN_BYTES`. */
  take?: (bytes: number) => void;
}

function collect(req: IncomingMessage, { limitBytes, into, more, take, timed }: Collected) {
  return new Promise<Buffer>((resolve, reject) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    let asked = false;
    let ended = false;
    // Small bodies arrive in one or two chunks and need no timer.
    let target = into;
    let idle = into || timed ? setTimeout(() => fail(tooSlow()), IDLE_MS) : undefined;

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
        // Untouched memory is not allocated by the system, so the maximum is reserved at once.
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
      ended = true;
      clearTimeout(idle);
      const [only] = chunks;
      if (target) resolve(target.subarray(0, bytes));
      else resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks, bytes));
      // The request object lives as long as its answer, so the chunks are released here.
      chunks = [];
    });
    req.on('close', () => {
      // Node emits no 'end' once the connection is closed, even if the whole body has arrived.
      if (!ended) fail(new ClientGone('the client closed its connection'));
    });
    req.on('error', () => fail(new ClientGone('the connection of the client broke')));
    // The client may have left while its key was confirmed, or its request decided.
    if (req.destroyed && !req.readableEnded)
      fail(new ClientGone('the client closed its connection'));
  });
}

function tooSlow() {
  const text = `The body paused for more than ${IDLE_MS / 1_000} seconds.`;
  return gatewayError('invalid_request', text, { details: { idleMs: IDLE_MS } });
}
