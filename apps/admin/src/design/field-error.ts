import { shown } from '../api/rest-client';

/** The server's messages about a form field or its parts: `modelIds[2]` belongs to `modelIds`. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (error === undefined || error === null) return undefined;
  const found = shown(error).details.filter(
    ({ path }) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`),
  );
  return found.length === 0 ? undefined : found.map(({ message }) => inWords(message)).join('; ');
}

/** Whether an error belongs to none of the form's fields. */
export function hasOtherErrors(error: unknown, fields: readonly string[]): boolean {
  const { details } = shown(error);
  const named = (path: string): boolean =>
    fields.some(
      (field) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`),
    );
  return details.length === 0 || details.some(({ path }) => !named(path));
}

// Rewords schema messages for people who fill in a form.
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
