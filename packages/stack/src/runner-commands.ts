import { join } from 'node:path';

import { workspaceRoot } from './services';
import type { State } from './state';

/** The simulator's MCP server over STDIO. */
export const STDIO_SERVER_SCRIPT = join(workspaceRoot(), 'packages/simulator/dist/mcp/stdio.js');

export interface StdioCommand {
  /** Of the simulator's server: its name, and a file in which it counts the tools that it runs. */
  readonly args: readonly string[];
  readonly idleSeconds?: number;
}

/** Writes the file of commands that the runner may start, all of the simulator's server; returns its path. */
export function writeStdioCommands(
  state: State,
  commands: Readonly<Record<string, StdioCommand>>,
): string {
  const written = Object.entries(commands).map(([name, { args, ...settings }]) => [
    name,
    { command: process.execPath, args: [STDIO_SERVER_SCRIPT, ...args], ...settings },
  ]);
  state.writeJson('mcp-commands.json', Object.fromEntries(written));
  return state.path('mcp-commands.json');
}
