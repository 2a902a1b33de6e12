import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

import type { Resolve, SecretReference } from '../kinds/index';

/** Secrets are read where documents refer to them, and go nowhere but to the installation. */

const MOST_CHARACTERS = 2_000;

export class UnreadableSecret extends Error {
  override readonly name = 'UnreadableSecret';
}

export function createResolve(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Resolve {
  return (reference) => {
    const text = 'env' in reference ? env[reference.env] : fileText(folder, reference.file);
    // A file or variable that a shell writes ends with a newline.
    const secret = text?.replace(/\r?\n$/, '');
    if (secret === undefined || secret === '') return undefined;
    if (secret.length > MOST_CHARACTERS) {
      throw new UnreadableSecret(
        `${placeOf(reference)} has more than ${String(MOST_CHARACTERS)} characters`,
      );
    }
    return secret;
  };
}

function fileText(folder: string, file: string): string | undefined {
  try {
    return readFileSync(isAbsolute(file) ? file : join(folder, file), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new UnreadableSecret(`the file ${file} cannot be read`, { cause: error });
  }
}

/** Where the secret is, for people. */
export function placeOf(reference: SecretReference): string {
  return 'env' in reference
    ? `the environment variable ${reference.env}`
    : `the file ${reference.file}`;
}
