// Reads the text out of buffered deltas, which are in wire form.

import { bufferEvent } from '../meter';
import {
  createOutputBuffer,
  PLAIN_TEXT,
  textOfStringBody,
  type BufferReader,
} from '../output-buffer';
import { createStreamDecoder } from './stream-decoder';

const TEXT = '{"content":"';
const TEXT_END = '"},';

/** Each piece is a delta object and the comma after it; the channel is the choice index. */
export const DELTAS_READER: BufferReader = {
  separator: '\n',
  read(_, pieces) {
    const output = createOutputBuffer(PLAIN_TEXT);
    const decoder = createStreamDecoder();
    let text = '';
    for (const piece of pieces.split('\n')) {
      const literal = plainText(piece);
      if (literal !== undefined) {
        text += literal;
        continue;
      }
      if (text !== '')
        bufferEvent(output, { type: 'text', choice: 0, text: textOfStringBody(text) });
      text = '';
      const event = `data: {"choices":[{"delta":${piece}"index":0}]}\n\n`;
      for (const each of decoder.push(Buffer.from(event, 'latin1'))) bufferEvent(output, each);
    }
    if (text !== '') bufferEvent(output, { type: 'text', choice: 0, text: textOfStringBody(text) });
    return output.read();
  },
};

/** The content string of a delta that has no other field, still escaped. */
function plainText(piece: string): string | undefined {
  if (!piece.startsWith(TEXT) || !piece.endsWith(TEXT_END)) return undefined;
  const literal = piece.slice(TEXT.length, -TEXT_END.length);
  return literal.includes('"') ? undefined : literal;
}
