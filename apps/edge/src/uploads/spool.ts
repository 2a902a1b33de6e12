import { randomUUID } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes that wait until they may be sent on: in memory while they are few, else in a file. */
export type Spool = {
  /** A promise where the bytes go to the file: no more until it is fulfilled. */
  write: (chunk: Buffer) => Promise<void> | undefined;
  /** How many bytes have been taken. */
  size: () => number;
  /** The bytes from one offset to another, as often as they are asked for. */
  read: (start: number, end: number) => AsyncIterable<Buffer>;
  /** Frees everything. Nothing can be read after it. */
  dispose: () => Promise<void>;
};

const READ_BYTES = 64 * 1024;

export function createSpool(memoryBytes: number, directory: string): Spool {
  let chunks: Buffer[] = [];
  let size = 0;
  let file: FileHandle | undefined;
  let writing: Promise<void> | undefined;
  let disposed = false;

  const toFile = async (chunk: Buffer, position: number): Promise<void> => {
    if (!file) {
      const opened = await openNameless(directory);
      if (disposed) return opened.close();
      file = opened;
      const before = Buffer.concat(chunks);
      chunks = [];
      await writeAll(file, before, 0);
    }
    await writeAll(file, chunk, position);
  };

  return {
    write: (chunk) => {
      const position = size;
      size += chunk.length;
      if (size <= memoryBytes) {
        chunks.push(chunk);
        return undefined;
      }
      const before = writing;
      writing = before ? before.then(() => toFile(chunk, position)) : toFile(chunk, position);
      return writing;
    },
    size: () => size,
    read: (start, end) => (file ? fromFile(file, start, end) : fromMemory(chunks, start, end)),
    dispose: async () => {
      disposed = true;
      chunks = [];
      // A write that failed has been told to whoever asked for it.
      await writing?.catch(() => undefined);
      await file?.close();
    },
  };
}

// Without a name the file is gone with the process, however that ends.
async function openNameless(directory: string): Promise<FileHandle> {
  const path = join(directory, `tollgate-upload-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const left = bytes.length - written;
    const { bytesWritten } = await file.write(bytes, written, left, position + written);
    written += bytesWritten;
  }
}

async function* fromFile(file: FileHandle, start: number, end: number): AsyncIterable<Buffer> {
  let position = start;
  while (position < end) {
    const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, end - position));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) throw new RangeError('the file of an upload is shorter than it was');
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

// Asynchronous only to be read like a file.
async function* fromMemory(
  chunks: readonly Buffer[],
  start: number,
  end: number,
): AsyncIterable<Buffer> {
  let offset = 0;
  for (const chunk of chunks) {
    const from = Math.max(start - offset, 0);
    const to = Math.min(end - offset, chunk.length);
    if (from < to) yield chunk.subarray(from, to);
    offset += chunk.length;
  }
}
