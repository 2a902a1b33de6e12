import { randomUUID } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

/** Holds bytes until they are sent: in memory if there are few, else in a file. */
export interface Spool {
  /** Returns a promise if the bytes go to the file: pause until it resolves. */
  write: (chunk: Buffer) => Promise<void> | undefined;
  /** The number of bytes written. */
  size: () => number;
  /** The bytes between two offsets; can be read repeatedly. */
  read: (start: number, end: number) => AsyncIterable<Buffer>;
  /** Releases everything. Nothing can be read afterwards. */
  dispose: () => Promise<void>;
}

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
      // A failed write has already been reported to its caller.
      await writing?.catch(() => undefined);
      await file?.close();
    },
  };
}

// The file is unlinked at once, so it disappears with the process.
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

// Asynchronous only to match the file's interface.
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
