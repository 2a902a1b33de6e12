import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeStdioCommands, type State } from '@tollgate/stack';

// An MCP server as a process of the runner, whose runs of tools are counted in a file: the count survives
// the process.

export const COUNTED_COMMAND = 'counted';

/** Writes the runner's file of commands; returns its path. */
export function writeCommands(state: State): string {
  const args = ['counted', startedFile(state.path('logs'))];
  return writeStdioCommands(state, { [COUNTED_COMMAND]: { args } });
}

const startedFile = (logs: string): string => join(logs, 'mcp-started');

/** Tool runs that have begun in processes of COUNTED_COMMAND since the world began. */
export async function startedByRunner({ logs }: { readonly logs: string }): Promise<number> {
  const text = await readFile(startedFile(logs), 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').length - 1;
}
