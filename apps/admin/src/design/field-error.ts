import { shown } from '../api/rest-client';

/** What the server says about one field of a form, or a part of it: `modelIds[2]` is in `modelIds`. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (error === undefined || error === null) return undefined;
  const found = shown(error).details.filter(
    ({ path }) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`),
  );
  return found.length === 0 ? undefined : found.map(({ message }) => message).join('; ');
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
