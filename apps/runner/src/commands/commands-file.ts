// The operator's file of commands: the only programs that this service ever starts. A server's row in
// the catalog has the name of one of them.
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { z } from 'zod';

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const variable = z.string().regex(VARIABLE, 'must be the name of an environment variable');

const commandSchema = z.strictObject({
  /** An absolute path, or a name that is looked up in PATH. */
  command: z
    .string()
    .max(4_096)
    .regex(/^\/.|^[^/]+$/, 'must be an absolute path, or a name without a path'),
  args: z.array(z.string().max(4_096)).max(100).default([]),
  /** Names of variables that the child gets from the runner's environment. */
  env: z.array(variable).max(100).default([]),
  fixedEnv: z.record(variable, z.string().max(32_768)).default({}),
  /** Absent: a private folder, which is removed with the session. */
  cwd: z.string().startsWith('/', 'must be an absolute path').max(4_096).optional(),
  /** The variable that gets the server's stored secret. */
  secretEnv: variable.optional(),
  memoryMb: z.int().min(0).max(1_048_576).default(512),
  maxProcesses: z.int().min(1).max(10_000).default(32),
  idleSeconds: z.int().min(1).max(86_400).default(600),
  maxSessions: z.int().min(1).max(10_000).default(50),
});
export type Command = z.output<typeof commandSchema>;
export type Commands = ReadonlyMap<string, Command>;

const MAX_COMMANDS = 500;
const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
const fileSchema = z
  .record(z.string().regex(NAME, 'must match ^[a-z0-9][a-z0-9-]{0,62}$'), commandSchema)
  .refine((commands) => Object.keys(commands).length <= MAX_COMMANDS, {
    error: `has more than ${MAX_COMMANDS} commands`,
  });

/** Its message names the file and every field that is wrong. */
export class CommandsFileError extends Error {
  override readonly name = 'CommandsFileError';
}

/**
 * An empty path: no command may be started. A name without a path is looked up once, here, so that what
 * is started does not depend on what a folder of PATH holds later. `searchPath`: PATH of the runner.
 * @throws CommandsFileError
 */
export function readCommandsFile(path: string, searchPath: string): Commands {
  if (path === '') return new Map();
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandsFileError(`RUNNER_COMMANDS_FILE (${path}) cannot be read: ${reason}`);
  }
  const result = fileSchema.safeParse(parsed);
  if (result.success) return located(path, result.data, searchPath);
  const lines = result.error.issues.map(
    ({ path: field, message }) => `  - ${field.join('.') || 'the file'}: ${message}`,
  );
  throw new CommandsFileError(`RUNNER_COMMANDS_FILE (${path}) is not valid:\n${lines.join('\n')}`);
}

function located(
  path: string,
  commands: Readonly<Record<string, Command>>,
  searchPath: string,
): Commands {
  const found = new Map<string, Command>();
  const lines: string[] = [];
  for (const [name, row] of Object.entries(commands)) {
    const { command, cwd } = row;
    const program = programOf(command, row.fixedEnv['PATH'] ?? searchPath);
    if (program === undefined) lines.push(`  - ${name}.command: there is no program ${command}`);
    else found.set(name, { ...row, command: program });
    if (cwd !== undefined && !existsSync(cwd)) lines.push(`  - ${name}.cwd: there is no ${cwd}`);
  }
  if (lines.length === 0) return found;
  throw new CommandsFileError(`RUNNER_COMMANDS_FILE (${path}) is not valid:\n${lines.join('\n')}`);
}

/** The absolute path of a program that can be executed; undefined: there is none. */
function programOf(command: string, searchPath: string): string | undefined {
  if (isAbsolute(command)) return isProgram(command) ? command : undefined;
  return searchPath
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, command))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Beside the listed variables a child gets only PATH, without which few programs start. */
export function environmentOf(
  command: Command,
  own: Readonly<Record<string, string | undefined>>,
  secret: string | undefined,
): Record<string, string> {
  const passed = ['PATH', ...command.env].flatMap((name) => {
    const value = own[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const { secretEnv } = command;
  return {
    ...Object.fromEntries(passed),
    ...command.fixedEnv,
    ...(secretEnv === undefined || secret === undefined ? {} : { [secretEnv]: secret }),
  };
}
