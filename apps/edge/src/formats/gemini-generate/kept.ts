// What a stream that is passed on has said: pieces, kept whole until they are counted or must be.

import { createOutputBuffer, PLAIN_TEXT, type BufferReader } from '../output-buffer';
import { bufferEvent } from '../meter';
import { createStreamDecoder } from './stream-decoder';

/** One line of JSON each. */
export const PIECES: BufferReader = {
  separator: '\n',
  read(_, pieces) {
    const said = createOutputBuffer(PLAIN_TEXT);
    const decoder = createStreamDecoder();
    for (const piece of pieces.split('\n')) {
      for (const event of decoder.push(Buffer.from(`data: ${piece}\n\n`))) {
        // Counts that were not the last word have been taken into account.
        if (event.type !== 'usage') bufferEvent(said, event);
      }
    }
    return said.read();
  },
};
