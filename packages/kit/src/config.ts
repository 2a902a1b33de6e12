import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';

import type { ConfigOf, ConfigShape, EnvVar } from './env-var';

export type Env = Record<string, string | undefined>;

export interface ConfigRow {
  name: string;
  kind: string;
  description: string;
  unit?: string;
  /** As it would be written in the environment; absent without a default. */
  default?: string;
  required: boolean;
  secret: boolean;
}

/** Every problem of a service's environment. It names variables and never contains a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(
    readonly service: string,
    readonly problems: readonly string[],
  ) {
    const lines = problems.map((problem) => `  - ${problem}`);
    super(`${service} cannot start with this configuration:\n${lines.join('\n')}`);
  }
}

// Reads every variable of the shape from the environment, or throws one ConfigError with every
// problem. An empty variable counts as unset. A secret NAME may come from a file instead, named by
// NAME_FILE. Printing the result (console.log, JSON, logs) omits its secrets.
export function readConfig<S extends ConfigShape>(
  service: string,
  shape: S,
  env: Env,
): ConfigOf<S> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};

  for (const [name, variable] of Object.entries(shape)) {
    try {
      values[name] = readValue(name, variable, env);
    } catch (error) {
      problems.push(`${name} ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(service, problems);

  const printed = (): Record<string, unknown> => redactedValues(shape, values);
  Object.defineProperty(values, 'toJSON', { value: printed });
  Object.defineProperty(values, inspect.custom, { value: printed });
  return values as ConfigOf<S>;
}

/** The variables of a shape as documentation, for .env.example. */
export function describeConfig(shape: ConfigShape): ConfigRow[] {
  return Object.entries(shape).map(([name, variable]) => ({
    name,
    kind: variable.kind,
    description: variable.description,
    ...(variable.unit === undefined ? {} : { unit: variable.unit }),
    ...(variable.default === undefined ? {} : { default: variable.print(variable.default) }),
    required: variable.default === undefined && !variable.optional,
    secret: variable.secret,
  }));
}

function readValue(name: string, variable: EnvVar<unknown>, env: Env): unknown {
  const text = readText(name, variable, env);
  if (text === undefined) {
    if (variable.default !== undefined) return variable.default;
    if (variable.optional) return undefined;
    const where = variable.secret ? ` (or ${name}_FILE)` : '';
    throw new RangeError(`is required${where}: ${variable.description}`);
  }
  try {
    return variable.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // A parser's message may quote its input; a secret must not reach the terminal that way.
    throw new RangeError(variable.secret ? message.replaceAll(text, '[redacted]') : message);
  }
}

function readText(name: string, variable: EnvVar<unknown>, env: Env): string | undefined {
  const text = env[name] || undefined;
  if (!variable.secret) return text;
  const file = env[`${name}_FILE`] || undefined;
  if (file === undefined) return text;
  if (text !== undefined) throw new RangeError(`is set twice: also by ${name}_FILE`);
  try {
    const content = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (content !== '') return content;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new RangeError(`cannot be read from the file in ${name}_FILE (${file}): ${code}`);
  }
  throw new RangeError(`cannot be read from the file in ${name}_FILE (${file}): it is empty`);
}

function redactedValues(
  shape: ConfigShape,
  values: Record<string, unknown>,
): Record<string, unknown> {
  const printed: Record<string, unknown> = {};
  for (const [name, variable] of Object.entries(shape)) {
    const value = values[name];
    printed[name] = variable.secret && value !== undefined ? '[redacted]' : value;
  }
  return printed;
}
