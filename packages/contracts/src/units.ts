// Billable units beside tokens: the keys of a price's `perUnitNanoUsd` and of a record's `units`.

const IMAGE_QUALITIES = ['low', 'medium', 'high', 'standard', 'hd'] as const;
export type ImageQuality = (typeof IMAGE_QUALITIES)[number];

const IMAGE_SIZES = [
  '256x256',
  '512x512',
  '1024x1024',
  '1024x1536',
  '1536x1024',
  '1024x1792',
  '1792x1024',
] as const;
export type ImageSize = (typeof IMAGE_SIZES)[number];

/** Units of the tools that providers run and bill per call. */
export const TOOL_UNITS = [
  'web_search',
  'file_search',
  'code_execution',
  'maps_search',
  'tool_call',
] as const;
export type ToolUnit = (typeof TOOL_UNITS)[number];

/** The unit of a server tool that the request does not name: any unit with a price. */
export const ANY_UNIT = '*';

/** Calls held for a server tool when neither the request nor the model has a bound. */
export const DEFAULT_MAX_TOOL_CALLS = 10;

type SizedImage = `image_${ImageQuality}_${ImageSize}`;
export type Unit = 'image' | SizedImage | 'audio_second' | 'character' | 'document' | ToolUnit;

/** Each unit with its meaning. Quantities are decimal texts: half a second is "0.5". */
export const UNITS: Readonly<Record<Unit, string>> = {
  image: 'one generated image of a size or quality that has no price of its own',
  audio_second: 'one second of audio, heard or spoken',
  character: 'one character of text turned into speech',
  document: 'one document ranked or scored',
  web_search: 'one search of the web that the provider made for an answer',
  file_search: 'one search of stored files that the provider made for an answer',
  code_execution: 'one container in which the provider ran code for an answer',
  maps_search: 'one search of maps that the provider made for an answer',
  tool_call: 'one call of another tool that the provider ran for an answer',
  ...sizedImages(),
};

/** The unit of a generated image; `image` for a size or quality outside the table. */
export function imageUnit(size: string, quality: string): Unit {
  const unit = `image_${quality}_${size}`;
  return isUnit(unit) ? unit : 'image';
}

/** A measured quantity as a record's decimal text: 12.5 → "12.5", rounded to nine places. */
export function unitQuantity(measured: number): string {
  if (!(measured >= 0 && measured < 1e15)) {
    throw new RangeError('a quantity is at least 0 and below 10^15');
  }
  return measured.toFixed(9).replace(/\.?0+$/, '');
}

export function isUnit(name: string): name is Unit {
  return Object.hasOwn(UNITS, name);
}

function sizedImages(): Record<SizedImage, string> {
  const rows = IMAGE_QUALITIES.flatMap((quality) =>
    IMAGE_SIZES.map((size) => [
      `image_${quality}_${size}`,
      `one generated image of ${size} pixels in ${quality} quality`,
    ]),
  );
  return Object.fromEntries(rows) as Record<SizedImage, string>;
}
