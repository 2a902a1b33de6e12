// The output of a stream: compressed, cut into pieces or with other line ends, by directive.

import type { ServerResponse } from 'node:http';
import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzipSync,
} from 'node:zlib';

import type { Directives } from './directives';
import type { Client } from './http';

export interface Sink {
  write(text: string | Buffer): void;
  /** Waits until written data is accepted, or the client disconnects. */
  drained(): Promise<void>;
  /** Waits until written data is flushed, or the client disconnects. */
  flushed(): Promise<void>;
  /** Whether written data was dropped because of the byte limit. Never for compressed answers. */
  short(): boolean;
  end(): void;
}

export function packingOf({ br, gzip }: Directives): 'gzip' | 'br' | undefined {
  if (br) return 'br';
  return gzip ? 'gzip' : undefined;
}

export function pack(body: string | Buffer, packing: 'gzip' | 'br'): Buffer {
  return packing === 'br' ? brotliCompressSync(body) : gzipSync(body);
}

export function createSink(response: ServerResponse, client: Client, directives: Directives): Sink {
  const packing = packingOf(directives);
  return packing === undefined
    ? plainSink(response, client, directives)
    : packedSink(response, client, packing);
}

/** The number of body bytes to send; undefined for all. */
export function bytesLetThrough(directives: Directives): number | undefined {
  return directives['cut-at'] ?? directives['end-at'];
}

function plainSink(response: ServerResponse, client: Client, directives: Directives): Sink {
  const { crlf, split, unspaced } = directives;
  let left = bytesLetThrough(directives) ?? Infinity;
  const write = (chunk: string | Buffer): void => {
    const size = Buffer.byteLength(chunk);
    const whole = left >= 0 && size <= left;
    if (left > 0 && size > 0) response.write(whole ? chunk : Buffer.from(chunk).subarray(0, left));
    left = whole ? left - size : -1;
  };
  return {
    write(text) {
      if (text.length === 0) return;
      if (!crlf && !split && !unspaced) return write(text);
      let written = text;
      if (typeof written === 'string' && unspaced) written = written.replace(/^data: /gm, 'data:');
      if (typeof written === 'string' && crlf) written = written.replaceAll('\n', '\r\n');
      const bytes = Buffer.from(written);
      const size = split === undefined || split === 0 ? bytes.length : split;
      for (let at = 0; at < bytes.length; at += size) write(bytes.subarray(at, at + size));
    },
    async drained() {
      if (response.writableNeedDrain) await client.drained();
    },
    flushed: () => flushed(response, client),
    short: () => left < 0,
    end: () => void response.end(),
  };
}

function packedSink(response: ServerResponse, client: Client, packing: 'gzip' | 'br'): Sink {
  const packer =
    packing === 'br'
      ? createBrotliCompress({ flush: constants.BROTLI_OPERATION_FLUSH })
      : createGzip({ flush: constants.Z_SYNC_FLUSH });
  packer.on('data', (chunk: Buffer) => response.write(chunk));
  packer.on('end', () => response.end());
  response.on('close', () => packer.destroy());
  const packed = (): Promise<void> => new Promise((resolve) => packer.flush(resolve));
  return {
    write: (text) => void packer.write(text),
    async drained() {
      if (packer.writableNeedDrain) await Promise.race([packed(), client.left()]);
      if (response.writableNeedDrain) await client.drained();
    },
    async flushed() {
      await Promise.race([packed(), client.left()]);
      await flushed(response, client);
    },
    short: () => false,
    end: () => void packer.end(),
  };
}

/** Polls once per turn of the event loop whether the system has accepted everything. */
async function flushed(response: ServerResponse, client: Client): Promise<void> {
  while (!client.gone() && response.writableLength > 0) await client.tick();
}
