// What a stream that is passed on has said: its deltas, kept as they stood on the wire.

import { createKept, PLAIN_PIECES, textOfLiteral, type KeptReader } from '../kept';
import { keepEvent } from '../meter';
import { createStreamDecoder } from './stream-decoder';

const TEXT = '{"content":"';
const TEXT_END = '"},';

/** Objects with the comma after them, one a line; the channel is the answer they are of. */
export const DELTAS: KeptReader = {
  separator: '\n',
  read(_, pieces) {
    const said = createKept(PLAIN_PIECES);
    const decoder = createStreamDecoder();
    let text = '';
    for (const piece of pieces.split('\n')) {
      const literal = plainText(piece);
      if (literal !== undefined) {
        text += literal;
        continue;
      }
      if (text !== '') keepEvent(said, { type: 'text', choice: 0, text: textOfLiteral(text) });
      text = '';
      const event = `data: {"choices":[{"delta":${piece}"index":0}]}\n\n`;
      for (const each of decoder.push(Buffer.from(event, 'latin1'))) keepEvent(said, each);
    }
    if (text !== '') keepEvent(said, { type: 'text', choice: 0, text: textOfLiteral(text) });
    return said.read();
  },
};

/** What stands between the quotes of a delta that is text and nothing else. */
function plainText(piece: string): string | undefined {
  if (!piece.startsWith(TEXT) || !piece.endsWith(TEXT_END)) return undefined;
  const literal = piece.slice(TEXT.length, -TEXT_END.length);
  return literal.includes('"') ? undefined : literal;
}
