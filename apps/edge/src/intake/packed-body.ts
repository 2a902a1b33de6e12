// Compressed request bodies. Nothing is decompressed before the key is known. The limit of a plain
// body applies to the decompressed bytes, chunk by chunk.

import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';
import { gatewayError } from '@tollgate/contracts';

import { bodyTooLarge, ClientGone, takeRoom, type BodyOptions } from './read-body';

const CHUNK_BYTES = 64 * 1024;
const KIB = 1024;
const MIB = 1024 * KIB;
/** The window is 2 to the power of this many bytes, which all zstd encoders for the web respect. */
const ZSTD_WINDOW_LOG = 23;
/** How long a compressed body may pause between two chunks. */
const IDLE_MS = 30_000;

interface Packing {
  open: () => Transform;
  /** Memory for decompression beside the body itself. */
  windowBytes: number;
}

const gzip: Packing = {
  open: () => createGunzip({ chunkSize: CHUNK_BYTES }),
  windowBytes: CHUNK_BYTES,
};

const PACKINGS: Readonly<Record<string, Packing>> = {
  gzip,
  'x-gzip': gzip,
  deflate: { open: () => createInflate({ chunkSize: CHUNK_BYTES }), windowBytes: CHUNK_BYTES },
  br: { open: () => createBrotliDecompress({ chunkSize: CHUNK_BYTES }), windowBytes: 16 * MIB },
  zstd: {
    open: () =>
      createZstdDecompress({
        chunkSize: CHUNK_BYTES,
        params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG },
      }),
    windowBytes: 2 ** ZSTD_WINDOW_LOG,
  },
};

/**
 * The encoding of a body; undefined: not compressed.
 * @throws GatewayError `invalid_request` naming the header
 */
export function packingOf(req: IncomingMessage): Packing | undefined {
  const name = (req.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (name === 'identity') return undefined;
  if (Object.hasOwn(PACKINGS, name)) return PACKINGS[name];
  throw refusal(
    `content-encoding: ${name.slice(0, 32)} is not supported; send gzip, deflate, br, zstd or an uncompressed body`,
  );
}

/** @throws GatewayError `invalid_request` because a form must not be compressed */
export function refusePackedForm(): never {
  throw refusal('content-encoding: a form must not be compressed; send it uncompressed');
}

/**
 * Reads and decompresses the whole body.
 * @throws GatewayError `invalid_request` naming the limit or the header, `overloaded`, or what
 * `confirm` throws; ClientGone
 */
export async function readPackedBody(
  req: IncomingMessage,
  { open, windowBytes }: Packing,
  { limitBytes, lease, confirm }: BodyOptions,
): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > limitBytes) throw bodyTooLarge(limitBytes);
  lease.confirm(await confirm());
  takeRoom(lease, windowBytes);
  const body = await unpack(req, open(), limitBytes, (bytes) => takeRoom(lease, bytes));
  lease.give(windowBytes);
  return body;
}

function unpack(
  req: IncomingMessage,
  unpacker: Transform,
  limitBytes: number,
  take: (bytes: number) => void,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let packedBytes = 0;
    const idle = setTimeout(() => fail(tooSlow()), IDLE_MS);

    const leave = (): void => {
      clearTimeout(idle);
      req.unpipe(unpacker);
      req.pause();
      req.removeListener('data', count);
    };
    const fail = (error: unknown): void => {
      leave();
      unpacker.destroy();
      chunks.length = 0;
      reject(error);
    };
    // Input that decompresses to nothing is limited too.
    const count = (chunk: Buffer): void => {
      packedBytes += chunk.length;
      idle.refresh();
      if (packedBytes > limitBytes) fail(bodyTooLarge(limitBytes));
    };
    unpacker.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limitBytes) return fail(bodyTooLarge(limitBytes));
      try {
        take(chunk.length);
      } catch (error) {
        return fail(error);
      }
      chunks.push(chunk);
      return undefined;
    });
    unpacker.on('end', () => {
      leave();
      resolve(Buffer.concat(chunks, bytes));
    });
    unpacker.on('error', () =>
      fail(refusal('content-encoding: the body cannot be decompressed with this encoding')),
    );
    req.on('close', () => {
      if (!req.complete) fail(new ClientGone('the client closed its connection'));
    });
    req.on('error', () => fail(new ClientGone('the connection of the client broke')));
    if (req.destroyed && !req.complete) {
      return fail(new ClientGone('the client closed its connection'));
    }
    req.on('data', count);
    req.pipe(unpacker);
    return undefined;
  });
}

function tooSlow() {
  const text = `The body paused for more than ${IDLE_MS / 1_000} seconds.`;
  return gatewayError('invalid_request', text, { details: { idleMs: IDLE_MS } });
}

function refusal(text: string) {
  return gatewayError('invalid_request', text, { param: 'content-encoding' });
}
