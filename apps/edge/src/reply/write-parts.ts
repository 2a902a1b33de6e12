import type { AuthorisedExchange } from '../exchange/exchange';

/**
 * Sends parts of a stream to the client, and keeps them for the trace where the organisation wants that.
 * @returns false while the client is slower than the stream
 */
export function write(
  { res, trace }: Pick<AuthorisedExchange, 'res' | 'trace'>,
  parts: readonly Buffer[],
): boolean {
  trace?.content?.recorder?.keep(parts);
  let more = true;
  for (const part of parts) more = res.write(part);
  return more;
}
