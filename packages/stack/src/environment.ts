// The environment of a service: defaults of the stack, the user's settings, and what the stack must
// set so that services find each other.

type Variables = Readonly<Record<string, string>>;

export interface ServiceSettings {
  /** Apply where the user has set nothing. */
  readonly defaults: Variables;
  /** Lists that are appended to the user's. */
  readonly additions: Variables;
  /** Apply whatever the user has set. */
  readonly wiring: Variables;
}

export interface ServiceEnvironment {
  readonly env: Record<string, string>;
  /** Variables whose user setting is overridden. */
  readonly overridden: readonly string[];
}

/** A secret NAME may come from the file in NAME_FILE instead. */
const FILE = '_FILE';

/** `user`: the user's variables that this service documents. Of NAME and NAME_FILE one is kept. */
export function serviceEnvironment(settings: ServiceSettings, user: Variables): ServiceEnvironment {
  const { defaults, additions, wiring } = settings;
  const env: Record<string, string> = { ...additions };
  for (const [name, value] of Object.entries(defaults)) {
    if (user[`${name}${FILE}`] === undefined) env[name] = value;
  }
  const overridden: string[] = [];
  for (const [name, value] of Object.entries(user)) {
    const wired = wiring[name] ?? wiring[withoutFile(name)];
    const added = additions[name];
    if (wired !== undefined && wired !== value) overridden.push(name);
    if (wired !== undefined) continue;
    env[name] = added === undefined ? value : `${value},${added}`;
  }
  return { env: { ...env, ...wiring }, overridden };
}

/**
 * The part of `environment` for a service that documents these variables; empty counts as unset.
 */
export function documented(
  variables: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const names = variables.flatMap((name) => [name, `${name}${FILE}`]);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

function withoutFile(name: string): string {
  return name.endsWith(FILE) ? name.slice(0, -FILE.length) : name;
}
