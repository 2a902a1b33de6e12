import { open } from 'node:fs/promises';
import type { Writable } from 'node:stream';

import { titleOf } from '../kinds/index';
import type { KeySink } from './apply';

/** Where the secrets of new API keys and destinations of alerts go: each once, before anything else happens. */

export interface OpenKeySink extends KeySink {
  close(): Promise<void>;
}

type Line = Parameters<KeySink['write']>[0];

const lineOf = ({ identity: { kind, organisation, name, ordinal }, id, secret }: Line): string =>
  `${JSON.stringify({ kind, organisation, name, ordinal, id, key: secret })}\n`;

/** The key exists by then, so the error says what to do about it. */
function lost({ identity }: Line, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(
    `${titleOf(identity)} was created, and its secret could not be written (${reason}). Rotate it to get another one.`,
    { cause },
  );
}

/** `-`: standard output. A file is created for its owner only, and lines are added to it. */
export async function openKeySink(
  target: string | undefined,
  stdout: Writable,
): Promise<OpenKeySink> {
  if (target === undefined) {
    return {
      write: ({ identity }) => {
        throw new Error(`${titleOf(identity)} was created without a place for its secret`);
      },
      close: () => Promise.resolve(),
    };
  }
  if (target === '-') {
    return {
      write: (key) =>
        new Promise((resolve, reject) => {
          stdout.write(lineOf(key), (error) => (error ? reject(lost(key, error)) : resolve()));
        }),
      close: () => Promise.resolve(),
    };
  }
  const file = await open(target, 'a', 0o600);
  return {
    write: async (key) => {
      try {
        await file.write(lineOf(key));
        await file.sync();
      } catch (error) {
        throw lost(key, error);
      }
    },
    close: () => file.close(),
  };
}
