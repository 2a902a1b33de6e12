import { readFileSync } from 'node:fs';
import { z } from 'zod';

import type { Credentials } from './api/connect';

/** The environment of the command. */

export type Env = Readonly<Record<string, string | undefined>>;

export const ENVIRONMENT: Env = process.env;

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const address = z.url({ protocol: /^https?$/ });

export function urlOf(option: string | undefined, env: Env): string {
  const given = option ?? env['TOLLGATE_URL'];
  if (given === undefined) {
    throw new UsageError(
      'Name the management API: --url or TOLLGATE_URL, such as http://127.0.0.1:8081',
    );
  }
  if (!address.safeParse(given).success) throw new UsageError(`${given} is not an http(s) URL`);
  return given.replace(/\/+$/, '');
}

/** A token, or an account to sign in with. */
export function credentialsOf(tokenFile: string | undefined, env: Env): Credentials {
  const token = secretOf('TOLLGATE_TOKEN', env, tokenFile);
  if (token !== undefined) return { token };
  const email = env['TOLLGATE_EMAIL'];
  const password = secretOf('TOLLGATE_PASSWORD', env, undefined);
  if (email !== undefined && password !== undefined) return { email, password };
  throw new UsageError(
    'Sign in with TOLLGATE_TOKEN (or TOLLGATE_TOKEN_FILE, --token-file), or with TOLLGATE_EMAIL and TOLLGATE_PASSWORD (or TOLLGATE_PASSWORD_FILE).',
  );
}

function secretOf(name: string, env: Env, option: string | undefined): string | undefined {
  const file = option ?? env[`${name}_FILE`];
  const text = file === undefined ? env[name] : read(file);
  const secret = text?.trim();
  return secret === '' ? undefined : secret;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read`, { cause: error });
  }
}
