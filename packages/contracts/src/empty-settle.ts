import type { SettleRequest__Output } from './generated';
import { codecs } from './generated/codecs';

const NOTHING = Buffer.alloc(0);

/** A settle in which every field has its default, in the order of the proto. */
export function emptySettle(): SettleRequest__Output {
  return codecs.SettleRequest.decode(NOTHING);
}
