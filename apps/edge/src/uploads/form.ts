import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';

export interface FormField {
  kind: 'field';
  name: string;
  value: string;
  contentType: string;
}

export interface FormFile {
  kind: 'file';
  name: string;
  filename: string;
  contentType: string;
  bytes: number;
  /** The first bytes of the file, which identify its type. */
  head: Buffer;
  /** The file's bytes; can be read repeatedly. */
  read: () => AsyncIterable<Buffer>;
}

export type FormPart = FormField | FormFile;

/** A received form, with its parts in the client's order. */
export interface Form {
  parts: readonly FormPart[];
  /** Deletes the files. */
  dispose: () => Promise<void>;
}

export interface WrittenForm {
  body: Readable;
  contentType: string;
  contentLength: number;
}

/**
 * Writes the form again with some fields replaced or removed. Fields that the client did not send
 * are added.
 */
export function writeForm(
  form: Form,
  changes: Readonly<Record<string, string | undefined>>,
): WrittenForm {
  const boundary = `tollgate-${randomUUID()}`;
  const added = new Map(Object.entries(changes));
  const pieces: { head: Buffer; part: FormPart }[] = [];
  const add = (part: FormPart): void => {
    pieces.push({ head: Buffer.from(headOf(part, boundary)), part });
  };
  for (const part of form.parts) {
    if (part.kind === 'file' || !Object.hasOwn(changes, part.name)) {
      add(part);
      continue;
    }
    const value = added.get(part.name);
    added.delete(part.name);
    if (value !== undefined) add({ ...part, value });
  }
  for (const [name, value] of added) {
    if (value !== undefined) add({ kind: 'field', name, value, contentType: 'text/plain' });
  }
  const end = Buffer.from(`--${boundary}--\r\n`);
  const contentLength = pieces.reduce(
    (sum, { head, part }) => sum + head.length + sizeOf(part) + LINE_END.length,
    end.length,
  );

  async function* bytes(): AsyncIterable<Buffer> {
    for (const { head, part } of pieces) {
      yield head;
      if (part.kind === 'file') yield* part.read();
      else yield Buffer.from(part.value);
      yield LINE_END;
    }
    yield end;
  }
  const body = Readable.from(bytes(), { objectMode: false });
  // An aborted call leaves its body half read; that error is expected.
  body.on('error', () => undefined);
  return { body, contentType: `multipart/form-data; boundary=${boundary}`, contentLength };
}

const LINE_END = Buffer.from('\r\n');

function sizeOf(part: FormPart): number {
  return part.kind === 'file' ? part.bytes : Buffer.byteLength(part.value);
}

function headOf(part: FormPart, boundary: string): string {
  const file = part.kind === 'file';
  const filename = file ? `; filename="${escapeName(part.filename)}"` : '';
  const typed = file || part.contentType !== 'text/plain';
  const type = typed ? `Content-Type: ${part.contentType}\r\n` : '';
  const disposition = `Content-Disposition: form-data; name="${escapeName(part.name)}"${filename}`;
  return `--${boundary}\r\n${disposition}\r\n${type}\r\n`;
}

/** Escapes names as browsers do, so that none can end its quotes or its line. */
function escapeName(name: string): string {
  return name.replace(/"/g, '%22').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}
