import { openSync } from 'fontkit';

/**
 * Chooses the font of a text in a PDF.
 *
 * Every PDF reader has Helvetica, but only for the characters of Windows-1252: pdfkit writes any other as bytes of
 * several characters. A text with another character is drawn in DejaVu Sans, of which the file gets the glyphs it uses.
 */

export type Weight = 'NORMAL' | 'BOLD';

interface Font {
  /** A standard font's name or a file's path, as pdfkit takes it. */
  readonly font: string;
  readonly text: string;
}

export const STANDARD_FONTS: Readonly<Record<Weight, string>> = {
  NORMAL: 'Helvetica',
  BOLD: 'Helvetica-Bold',
};
/** Condensed has nearly the widths of Helvetica. pdfkit reads TTF far faster than WOFF. */
const EMBEDDED: Readonly<Record<Weight, string>> = {
  NORMAL: require.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf'),
  BOLD: require.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf'),
};

const WINDOWS_1252 = /^[\n\u0020-\u007e\u00a0-\u00ff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]*$/u;
/** Has a glyph in both weights. */
const REPLACEMENT = '\ufffd';

/** The font that draws a text, and the text with a replacement for each character that the font does not have. */
export function drawableText(text: string, weight: Weight): Font {
  const composed = text.normalize('NFC').replaceAll('\r\n', '\n').replaceAll('\t', ' ');
  if (WINDOWS_1252.test(composed)) return { font: STANDARD_FONTS[weight], text: composed };
  const known = charactersOf(weight);
  const drawn = Array.from(composed, (character) =>
    character === '\n' || known.has(character.codePointAt(0) ?? 0) ? character : REPLACEMENT,
  );
  return { font: EMBEDDED[weight], text: drawn.join('') };
}

const characters = new Map<Weight, ReadonlySet<number>>();

/** Read from the font at the first use. */
function charactersOf(weight: Weight): ReadonlySet<number> {
  const read = characters.get(weight);
  if (read !== undefined) return read;
  const font = openSync(EMBEDDED[weight]);
  if (!('characterSet' in font)) throw new Error('the font of invoices is a collection of fonts');
  const set = new Set(font.characterSet);
  characters.set(weight, set);
  return set;
}
