/** Reads a request body up to a limit. */
export async function readBody(
  request: Request,
  limitBytes: number,
): Promise<Uint8Array | 'too large'> {
  if (Number(request.headers.get('content-length') ?? 0) > limitBytes) return 'too large';
  if (request.body === null) return new Uint8Array();
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request.body) {
    length += part.byteLength;
    // Leaving the loop cancels the rest of the body.
    if (length > limitBytes) return 'too large';
    parts.push(part);
  }
  return Buffer.concat(parts);
}
