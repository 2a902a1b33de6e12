import type { AuthorisedExchange } from '../exchange/exchange';

/**
 * Sends parts of a stream to the client, and keeps them for the trace, for equal requests and for administrators where
 * the organisation wants that. `answer`: the parts without what is for this request alone.
 * @returns false while the client is slower than the stream
 */
export function write(
  {
    cache,
    keptBodies,
    res,
    trace,
  }: Pick<AuthorisedExchange, 'cache' | 'keptBodies' | 'res' | 'trace'>,
  parts: readonly Buffer[],
  answer = parts,
): boolean {
  cache?.recorder?.keep(answer);
  trace?.content?.recorder?.keep(parts);
  keptBodies?.recorder?.keep(parts);
  let more = true;
  for (const part of parts) more = res.write(part);
  return more;
}
