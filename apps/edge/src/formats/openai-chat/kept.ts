// What a stream that is passed on has said: its deltas, kept as they stood on the wire.

import {
  createOutputBuffer,
  PLAIN_TEXT,
  textOfStringBody,
  type BufferReader,
} from '../output-buffer';
import { bufferEvent } from '../meter';
import { createStreamDecoder } from './stream-decoder';

const TEXT = '{"content":"';
const TEXT_END = '"},';

/** Objects with the comma after them, one a line; the channel is the answer they are of. */
export const DELTAS: BufferReader = {
  separator: '\n',
  read(_, pieces) {
    const said = createOutputBuffer(PLAIN_TEXT);
    const decoder = createStreamDecoder();
    let text = '';
    for (const piece of pieces.split('\n')) {
      const literal = plainText(piece);
      if (literal !== undefined) {
        text += literal;
        continue;
      }
      if (text !== '') bufferEvent(said, { type: 'text', choice: 0, text: textOfStringBody(text) });
      text = '';
      const event = `data: {"choices":[{"delta":${piece}"index":0}]}\n\n`;
      for (const each of decoder.push(Buffer.from(event, 'latin1'))) bufferEvent(said, each);
    }
    if (text !== '') bufferEvent(said, { type: 'text', choice: 0, text: textOfStringBody(text) });
    return said.read();
  },
};

/** What stands between the quotes of a delta that is text and nothing else. */
function plainText(piece: string): string | undefined {
  if (!piece.startsWith(TEXT) || !piece.endsWith(TEXT_END)) return undefined;
  const literal = piece.slice(TEXT.length, -TEXT_END.length);
  return literal.includes('"') ? undefined : literal;
}
