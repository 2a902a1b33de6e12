// Estimates the tokens of an image. Its size is read from the first bytes of a data URL; an image
// by reference counts as large.

export interface ImageSize {
  width: number;
  height: number;
}

/** The highest count of a large image among vendors with public rules. */
export const LARGE_TOKENS = 1_700;

const TILE = 512;
const TILE_TOKENS = 170;
const BASE_TOKENS = 85;
const PIXELS_PER_TOKEN = 750;
/** Images are scaled down to these sides before their tiles are counted. */
const LONGEST_SIDE = 2_048;
const SHORTER_SIDE = 768;

/** Low detail counts as any other: which provider answers is not known yet, and many do not have it. */
export function estimateImage(url: string): number {
  const size = sizeOf(url);
  if (!size) return LARGE_TOKENS;
  const byTiles = BASE_TOKENS + TILE_TOKENS * tilesOf(size);
  const byPixels = Math.ceil((size.width * size.height) / PIXELS_PER_TOKEN);
  return Math.max(byTiles, Math.min(byPixels, LARGE_TOKENS));
}

function tilesOf({ width, height }: ImageSize): number {
  const fit = Math.min(1, LONGEST_SIDE / Math.max(width, height));
  const shrink = Math.min(1, SHORTER_SIDE / (Math.min(width, height) * fit));
  const tiles = (side: number): number => Math.ceil((side * fit * shrink) / TILE);
  return tiles(width) * tiles(height);
}

/** How much base64 is decoded to find the size; a JPEG may start with long metadata. */
const HEAD_CHARACTERS = 128 * 1024;

/** The size of an image in a data URL; undefined if unknown. */
export function sizeOf(url: string): ImageSize | undefined {
  const comma = url.indexOf(',');
  if (comma < 0 || !/^data:image\/[^,]*;base64$/i.test(url.slice(0, comma))) return undefined;
  const bytes = Buffer.from(url.slice(comma + 1, comma + 1 + HEAD_CHARACTERS), 'base64');
  const size = pngSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes) ?? jpegSize(bytes);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

function pngSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 24 || bytes.readUInt32BE(0) !== 0x89504e47) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gifSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 10 || bytes.toString('latin1', 0, 3) !== 'GIF') return undefined;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function webpSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30 || bytes.toString('latin1', 8, 12) !== 'WEBP') return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** JPEG markers that hold the frame size: every SOF marker except those for tables. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function jpegSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (isFrame(marker)) {
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
