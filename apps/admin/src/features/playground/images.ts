// Pictures of a message as data URLs. They are stored nowhere else.

export interface Image {
  readonly name: string;
  /** `data:image/…;base64,…` */
  readonly url: string;
}

export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;
export const MAX_IMAGES = 4;
export const MAX_IMAGE_BYTES = 2 * 1024 * 1024;

/** The files that can be added, and why others cannot. */
export function admitted<File extends { readonly type: string; readonly size: number }>(
  there: number,
  files: readonly File[],
): { readonly files: readonly File[]; readonly problem: string | undefined } {
  const types: readonly string[] = IMAGE_TYPES;
  const fitting = files.filter(({ type, size }) => types.includes(type) && size <= MAX_IMAGE_BYTES);
  const taken = fitting.slice(0, Math.max(0, MAX_IMAGES - there));
  return { files: taken, problem: problemOf(files, types, taken.length < fitting.length) };
}

function problemOf(
  files: readonly { readonly type: string; readonly size: number }[],
  types: readonly string[],
  many: boolean,
): string | undefined {
  if (files.some(({ type }) => !types.includes(type)))
    return 'Pictures are PNG, JPEG, WebP or GIF files.';
  if (files.some(({ size }) => size > MAX_IMAGE_BYTES)) return 'A picture can have at most 2 MiB.';
  return many ? `A message has ${MAX_IMAGES} pictures at most.` : undefined;
}

/** Splits a data URL into media type and base64. */
export function partsOf({ url }: Image): { readonly type: string; readonly data: string } {
  const comma = url.indexOf(',');
  return { type: /^data:([^;,]+)/.exec(url)?.[1] ?? 'image/png', data: url.slice(comma + 1) };
}

/** @throws Error when the browser cannot read the file. */
export function readImage(file: File): Promise<Image> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => {
      resolve({ name: file.name, url: typeof reader.result === 'string' ? reader.result : '' });
    });
    reader.addEventListener('error', () => reject(reader.error ?? new Error('not readable')));
    reader.readAsDataURL(file);
  });
}
