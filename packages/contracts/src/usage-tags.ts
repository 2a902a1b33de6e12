// Tags of requests: a key and a value for reports. Clients and plugins set them; a record has them as one text, sorted
// by key, as `project:blue, tier:gold`.
import { z } from 'zod';

/** Of one request. */
export const MOST_TAGS = 10;
/** The longest text of all tags: what separates them has two characters, and a colon one. */
export const TAGS_CHARACTERS = MOST_TAGS * (40 + 1 + 120 + 2);
/** The header in which clients set tags. */
export const TAGS_HEADER = 'x-tollgate-tags';
/** The header that names tags of clients that are not recorded. */
export const IGNORED_TAGS_HEADER = 'x-tollgate-tags-ignored';

export const tagKey = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9_.-]{0,39}$/,
    'small letters, digits, _ . and -, beginning with a letter or digit, at most 40',
  )
  .meta({ description: 'The key of a tag.' });

const CLIENT_KEY = /^[a-z0-9][a-z0-9_.-]{0,31}$/;
/** A key that clients may set. */
export const clientTagKey = z
  .string()
  .regex(
    CLIENT_KEY,
    'small letters, digits, _ . and -, beginning with a letter or digit, at most 32',
  )
  .meta({ description: 'The key of a tag that clients may set.' });
export const isClientTagKey = (text: string): boolean => CLIENT_KEY.test(text);

// With MOST_TAGS of the longest keys and values of clients, the text has TAGS_CHARACTERS at most.
const INNER = '[\\p{L}\\p{M}\\p{N} ._/@+-]';
const OUTER = '[\\p{L}\\p{M}\\p{N}._/@+-]';
const VALUE = new RegExp(`^${OUTER}(?:${INNER}*${OUTER})?$`, 'u');

/** At most 128 UTF-16 units, as lengths are counted everywhere else. */
export const isTagValue = (text: string): boolean => text.length <= 128 && VALUE.test(text);

/** A value that plugins set: neither a comma nor a colon, which separate tags in records. */
export const tagValue = z
  .string()
  .max(120)
  .refine(isTagValue, 'letters, digits, spaces within and . _ / @ + - only, at most 120');

/** `key:value`, as filters name a tag. */
export const namedTag = z
  .string()
  .refine((text) => {
    const [key = '', value = '', ...more] = text.split(':');
    return more.length === 0 && tagKey.safeParse(key).success && isTagValue(value);
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

/** The tags of a record's text. */
export function tagsIn(text: string): Map<string, string> {
  const tags = new Map<string, string>();
  if (text === '') return tags;
  for (const tag of text.split(', ')) {
    const colon = tag.indexOf(':');
    if (colon > 0) tags.set(tag.slice(0, colon), tag.slice(colon + 1));
  }
  return tags;
}
