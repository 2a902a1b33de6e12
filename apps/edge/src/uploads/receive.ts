import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { gatewayError } from '@tollgate/contracts';

import { bodyTooLarge, ClientGone, takeRoom, type ByteLease } from '../intake';
import type { Form, FormFile, FormPart } from './form';
import { createSpool, type Spool } from './spool';

export interface UploadLimits {
  /** Limit of one form. */
  bytes: number;
  /** Limit of one form in memory; the rest is written to a file. */
  memoryBytes: number;
  /** Limit of all forms being served. */
  totalBytes: number;
  directory: string;
}

export interface Uploads {
  /**
   * Receives a whole form from a caller whose key is valid. The lease counts the part in memory.
   * @throws GatewayError `invalid_request` naming the problem, `overloaded`; ClientGone
   */
  receive: (req: IncomingMessage, lease: ByteLease) => Promise<Form>;
}

/** Limit of one field: a long prompt or a vocabulary list fits. */
const FIELD_BYTES = 1024 * 1024;
/** Limit of all fields of a form together; they are kept in memory. */
const FIELDS_BYTES = 2 * 1024 * 1024;
const PARTS = 128;
const NAME_LENGTH = 256;
const HEADER_BYTES = 16 * 1024;
const HEADER_PAIRS = 32;
/** Bytes kept from the start of each file: the header of an audio file fits. */
const HEAD_BYTES = 64;
const RETRY_AFTER_MS = 5_000;

export function createUploads(limits: UploadLimits): Uploads {
  let totalBytes = 0;

  const receive: Uploads['receive'] = async (req, lease) => {
    if (Number(req.headers['content-length'] ?? 0) > limits.bytes) throw bodyTooLarge(limits.bytes);
    const spool = createSpool(limits.memoryBytes, limits.directory);
    let taken = 0;
    let room = 0;
    let disposed = false;
    const take = (bytes: number): void => {
      taken += bytes;
      totalBytes += bytes;
      if (taken > limits.bytes) throw bodyTooLarge(limits.bytes);
      if (totalBytes > limits.totalBytes) throw tooMany();
      // Bytes beyond this are in the file, or refused.
      const inMemory = Math.min(bytes, limits.memoryBytes + FIELDS_BYTES - room);
      if (inMemory <= 0) return;
      room += inMemory;
      takeRoom(lease, inMemory);
    };
    const dispose = async (): Promise<void> => {
      if (disposed) return;
      disposed = true;
      totalBytes -= taken;
      await spool.dispose();
    };
    try {
      return { parts: await readParts(req, spool, take), dispose };
    } catch (error) {
      await dispose();
      throw error;
    }
  };

  return { receive };
}

function readParts(
  req: IncomingMessage,
  spool: Spool,
  take: (bytes: number) => void,
): Promise<FormPart[]> {
  const parser = openParser(req);
  const parts: FormPart[] = [];
  let fieldBytes = 0;
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      req.unpipe(parser);
      req.pause();
      req.removeListener('data', count);
      reject(error);
    };
    const count = (chunk: Buffer): void => {
      try {
        take(chunk.length);
      } catch (error) {
        fail(error);
      }
    };
    parser.on('field', (name: string | undefined, value, _, cut, __, contentType) => {
      if (!isName(name)) return fail(badName());
      if (cut) return fail(tooLong(name));
      fieldBytes += Buffer.byteLength(value);
      if (fieldBytes > FIELDS_BYTES) {
        return fail(invalid(`The fields of the form have more than ${FIELDS_BYTES} bytes.`));
      }
      parts.push({ kind: 'field', name, value, contentType });
    });
    parser.on('file', (name: string | undefined, stream, filename, _, contentType) => {
      stream.on('error', fail);
      if (!isName(name)) {
        stream.resume();
        return fail(badName());
      }
      parts.push(receiveFile({ name, filename: filename ?? '', contentType }, stream, spool, fail));
    });
    parser.on('partsLimit', () => fail(invalid(`The form has more than ${PARTS} parts.`)));
    parser.on('error', () => fail(invalid('The form is not valid multipart/form-data.')));
    parser.on('finish', () => resolve(parts));
    req.on('close', () => {
      if (!req.complete) fail(new ClientGone('the client closed its connection'));
    });
    req.on('error', () => fail(new ClientGone('the connection of the client broke')));
    req.on('data', count);
    req.pipe(parser);
  });
}

function openParser(req: IncomingMessage): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...req.headers, 'content-type': req.headers['content-type'] ?? '' },
      limits: {
        fieldSize: FIELD_BYTES,
        parts: PARTS,
        headerPairs: HEADER_PAIRS,
        headerSize: HEADER_BYTES,
      },
    });
  } catch {
    throw gatewayError('invalid_request', 'The form names no boundary of its parts.', {
      param: 'content-type',
    });
  }
}

// A second file may arrive while the first waits for its write, so each records its own offsets.
function receiveFile(
  about: Pick<FormFile, 'name' | 'filename' | 'contentType'>,
  stream: BusboyFileStream,
  spool: Spool,
  fail: (error: unknown) => void,
): FormFile {
  const extents: { start: number; end: number }[] = [];
  const file = {
    kind: 'file' as const,
    ...about,
    bytes: 0,
    head: Buffer.alloc(0),
    read: async function* read() {
      for (const { start, end } of extents) yield* spool.read(start, end);
    },
  };
  stream.on('data', (chunk: Buffer) => {
    const start = spool.size();
    const end = start + chunk.length;
    const last = extents.at(-1);
    if (last?.end === start) last.end = end;
    else extents.push({ start, end });
    file.bytes += chunk.length;
    if (file.head.length < HEAD_BYTES) {
      file.head = Buffer.concat([file.head, chunk.subarray(0, HEAD_BYTES - file.head.length)]);
    }
    const written = spool.write(chunk);
    if (!written) return;
    stream.pause();
    written.then(() => stream.resume(), fail);
  });
  return file;
}

function isName(name: string | undefined): name is string {
  return name !== undefined && name !== '' && name.length <= NAME_LENGTH;
}

function badName() {
  return invalid('A part of the form has no name, or one that is too long.');
}

function tooLong(param: string) {
  const text = `${param}: must not be longer than ${FIELD_BYTES} bytes`;
  return gatewayError('invalid_request', text, { param });
}

function invalid(text: string) {
  return gatewayError('invalid_request', text);
}

function tooMany() {
  return gatewayError('overloaded', 'Too many uploads are in progress. Retry later.', {
    retryAfterMs: RETRY_AFTER_MS,
    details: { resource: 'upload spool' },
  });
}
