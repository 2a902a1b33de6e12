// What the environment of a service is made of: what the stack suggests, what the user has set, and
// what the stack must set itself because the services could not find each other otherwise.

type Variables = Readonly<Record<string, string>>;

export interface ServiceSettings {
  /** Holds where the user has set nothing. */
  readonly defaults: Variables;
  /** Lists: added to what the user has set. */
  readonly additions: Variables;
  /** Holds whatever the user has set. */
  readonly wiring: Variables;
}

export interface ServiceEnvironment {
  readonly env: Record<string, string>;
  /** Variables that the user has set to something else than what holds. */
  readonly overridden: readonly string[];
}

/** A secret NAME may come from the file in NAME_FILE instead. */
const FILE = '_FILE';

/** `user`: what of the user's environment this service documents. Of NAME and NAME_FILE one is kept. */
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

/** What of `environment` a service that documents these variables is given; empty counts as unset. */
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
