// What a stream that is passed on has said: pieces, kept whole until they are counted or must be.

import { createKept, PLAIN_PIECES, type KeptReader } from '../kept';
import { keepEvent } from '../meter';
import { createStreamDecoder } from './stream-decoder';

/** One line of JSON each. */
export const PIECES: KeptReader = {
  separator: '\n',
  read(_, pieces) {
    const said = createKept(PLAIN_PIECES);
    const decoder = createStreamDecoder();
    for (const piece of pieces.split('\n')) {
      for (const event of decoder.push(Buffer.from(`data: ${piece}\n\n`))) {
        // Counts that were not the last word have been taken into account.
        if (event.type !== 'usage') keepEvent(said, event);
      }
    }
    return said.read();
  },
};
