import { shown } from '../api/rest-client';

/** What the server says about one field of a form, or a part of it: `modelIds[2]` is in `modelIds`. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (error === undefined || error === null) return undefined;
  const found = shown(error).details.filter(
    ({ path }) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`),
  );
  return found.length === 0 ? undefined : found.map(({ message }) => inWords(message)).join('; ');
}

/** Whether something is wrong that no field of the form shows. */
export function hasOtherErrors(error: unknown, fields: readonly string[]): boolean {
  const { details } = shown(error);
  const named = (path: string): boolean =>
    fields.some(
      (field) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`),
    );
  return details.length === 0 || details.some(({ path }) => !named(path));
}

// What a schema says of a value that nobody has given, said to who fills in a form.
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^Too small: expected string to have >=1 characters$/, 'This field is required.'],
  [/^Too small: expected array to have >=1 items$/, 'Choose at least one.'],
  [/^Invalid (UUID|option: .*)$/, 'Choose one.'],
  [/^Invalid email address$/, 'Enter a valid email address.'],
  [/^Invalid URL$/, 'Enter a URL that begins with https:// or http://.'],
];

function inWords(message: string): string {
  return WORDS.find(([pattern]) => pattern.test(message))?.[1] ?? message;
}
