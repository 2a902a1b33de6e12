import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import {
  keptBodyContext,
  openBytes,
  sealBytes,
  type KeyRing,
  type SealedSecret,
} from '@tollgate/contracts/node';
import { z } from 'zod';

const content = z.object({ request: z.string().nullable(), answer: z.string().nullable() });

/** What is sealed of a request. Null: not kept. */
export type BodyContent = z.output<typeof content>;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Content is at most twice the largest body of an edge, escaped as JSON. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Compresses off the event loop, and binds the content to its request. */
export async function sealContent(
  ring: KeyRing,
  requestId: string,
  given: BodyContent,
): Promise<SealedSecret> {
  const packed = await deflate(Buffer.from(JSON.stringify(given)));
  return sealBytes(ring, packed, keptBodyContext(requestId));
}

/** Throws if the ring lacks the key, or if the row was changed. */
export async function openContent(
  ring: KeyRing,
  requestId: string,
  sealed: SealedSecret,
): Promise<BodyContent> {
  const packed = openBytes(ring, sealed, keptBodyContext(requestId));
  const text = await inflate(packed, { maxOutputLength: MOST_BYTES });
  return content.parse(JSON.parse(text.toString()));
}
