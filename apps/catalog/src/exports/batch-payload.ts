import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

/** The lines of a batch as the bytes that are sent, and back. */

const zip = promisify(gzip);
const unzip = promisify(gunzip);

export async function payloadOf(lines: string, compressed: boolean): Promise<Buffer> {
  const bytes = Buffer.from(lines);
  return compressed ? zip(bytes) : bytes;
}

export async function linesOf(payload: Buffer, compressed: boolean): Promise<string> {
  return (compressed ? await unzip(payload) : payload).toString();
}
