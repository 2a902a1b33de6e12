// Reads the text out of buffered chunks. A chunk is buffered whole and decoded only if it is counted.

import { bufferEvent } from '../meter';
import { createOutputBuffer, PLAIN_TEXT, type BufferReader } from '../output-buffer';
import { createStreamDecoder } from './stream-decoder';

/** Each piece is a chunk as one line of JSON. */
export const CHUNKS_READER: BufferReader = {
  separator: '\n',
  read(_, pieces) {
    const output = createOutputBuffer(PLAIN_TEXT);
    const decoder = createStreamDecoder();
    for (const piece of pieces.split('\n')) {
      for (const event of decoder.push(Buffer.from(`data: ${piece}\n\n`))) {
        // The caller has accounted for running counts already.
        if (event.type !== 'usage') bufferEvent(output, event);
      }
    }
    return output.read();
  },
};
