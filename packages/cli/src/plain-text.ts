import type { Writable } from 'node:stream';

/**
 * Text for a terminal. Names and messages of the installation are written by its users, and a control
 * character in them could rewrite what an administrator reads.
 */
export function plainText(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\x${code.toString(16).padStart(2, '0')}`;
  });
}

export function tellLine(stream: Writable, line: string): void {
  stream.write(`${plainText(line)}\n`);
}
