// Tags of requests: a key and a value for reports. Plugins set them; a record has them as one text, sorted by
// key, as `project:blue, tier:gold`.
import { z } from 'zod';

/** Of one request. */
export const MOST_TAGS = 10;
/** The longest text of all tags: what separates them has two characters, and a colon one. */
export const TAGS_CHARACTERS = MOST_TAGS * (40 + 1 + 120 + 2);

const VALUE = /^[A-Za-z0-9._/@+-](?:[A-Za-z0-9 ._/@+-]{0,118}[A-Za-z0-9._/@+-])?$/;

export const tagKey = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,39}$/, 'small letters, digits, _ and -, at most 40')
  .meta({ description: 'The key of a tag.' });

/** Neither a comma nor a colon, which separate tags in records. */
export const tagValue = z
  .string()
  .regex(VALUE, 'letters, digits, spaces within and . _ / @ + - only, at most 120');

/** `key:value`, as filters name a tag. */
export const namedTag = z
  .string()
  .refine((text) => {
    const [key = '', value = '', ...more] = text.split(':');
    return more.length === 0 && tagKey.safeParse(key).success && tagValue.safeParse(value).success;
  }, 'a key and a value, as project:blue')
  .meta({ description: 'A tag of the request, as project:blue.' });

/** The text of a record. Of more than a request may have, the first keys stay. */
export function tagsText(tags: ReadonlyMap<string, string>): string {
  return [...tags]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, MOST_TAGS)
    .map(([key, value]) => `${key}:${value}`)
    .join(', ');
}
