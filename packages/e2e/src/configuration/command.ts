import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { workspaceRoot } from '@tollgate/stack';

export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the built command `tollgate` as a user does. */
export function tollgate(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
): Promise<CommandResult> {
  const program = join(workspaceRoot(), 'packages/cli/dist/tollgate.js');
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (texts.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (texts.err += chunk.toString()));
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...texts }));
  });
}
