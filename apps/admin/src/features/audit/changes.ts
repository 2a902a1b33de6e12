// The changed fields of an audit event. Pure.

/** `before` and `after` as text; undefined where the field did not exist. */
export interface FieldChange {
  /** "timeouts.connectMs". */
  readonly field: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

type State = Readonly<Record<string, unknown>> | null;

/** Deeper objects are shown as JSON. The catalog writes none that deep. */
const DEPTH = 4;

/** Names by id. */
type Names = Readonly<Record<string, string>>;

/**
 * Every field that differs, sorted by name. All fields for created and deleted objects. An id whose
 * name is known is shown as "name (id)".
 */
export function fieldChanges(
  before: State,
  after: State,
  names: Names = {},
): readonly FieldChange[] {
  const was = flat(before ?? {}, '', 0);
  const is = flat(after ?? {}, '', 0);
  return [...new Set([...was.keys(), ...is.keys()])]
    .toSorted((a, b) => a.localeCompare(b))
    .map((field) => ({ field, before: was.get(field), after: is.get(field) }))
    .filter((change) => change.before !== change.after)
    .map((change) => ({
      ...change,
      before: named(change.before, names),
      after: named(change.after, names),
    }));
}

function named(text: string | undefined, names: Names): string | undefined {
  if (text === undefined || !Object.hasOwn(names, text)) return text;
  return `${names[text]} (${text})`;
}

function flat(
  state: Readonly<Record<string, unknown>>,
  prefix: string,
  depth: number,
): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries(state)) {
    const path = `${prefix}${name}`;
    if (isObject(value) && depth < DEPTH && Object.keys(value).length > 0) {
      for (const [inner, text] of flat(value, `${path}.`, depth + 1)) fields.set(inner, text);
    } else fields.set(path, textOf(value));
  }
  return fields;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'string') return value === '' ? '""' : value;
  return JSON.stringify(value, undefined, typeof value === 'object' ? 2 : 0);
}

/** "routing-policy.create" → "Routing policy: create". */
export function actionWords(action: string): string {
  const [object, verb] = splitOnce(action, '.');
  return `${objectWords(object)}: ${verb.replaceAll(/[-_]/g, ' ').replace(/\bmcp\b/, 'MCP')}`;
}

const OBJECTS: Readonly<Record<string, string>> = {
  apikey: 'API key',
  'mcp-server': 'MCP server',
  'mcp-sign-in': 'MCP sign-in',
  usage_record: 'Usage record',
};

/** "routing-policy" → "Routing policy". */
export function objectWords(type: string): string {
  const known = OBJECTS[type];
  if (known !== undefined) return known;
  const words = type.toLowerCase().replaceAll(/[-_]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** The path of an object's page below its organisation; undefined without one. */
export function pageOfTarget(target: {
  readonly type: string;
  readonly id: string | null;
}): string | undefined {
  const page = PAGES[target.type];
  if (page === undefined) return undefined;
  return page.own && target.id !== null ? `${page.path}/${target.id}` : page.path;
}

const PAGES: Readonly<Record<string, { readonly path: string; readonly own: boolean }>> = {
  apikey: { path: 'apikeys', own: true },
  budget: { path: 'budgets', own: false },
  'export-destination': { path: 'exports', own: false },
  invitation: { path: 'users?tab=invitations', own: false },
  'mcp-server': { path: 'mcp-servers', own: true },
  model: { path: 'models', own: true },
  'model-alias': { path: 'aliases', own: false },
  experiment: { path: 'experiments', own: true },
  organisation: { path: 'settings', own: false },
  'price-correction': { path: 'corrections', own: false },
  provider: { path: 'providers', own: true },
  quota: { path: 'quotas', own: false },
  'rate-limit': { path: 'quotas?tab=rates', own: false },
  'routing-policy': { path: 'routing', own: true },
  'screening-policy': { path: 'screening', own: true },
  team: { path: 'teams', own: true },
  'usage-view': { path: 'usage', own: false },
  usage_record: { path: 'usage', own: true },
  user: { path: 'users', own: true },
};

/** Target types, for the filter. */
export const TARGET_TYPES = [
  'apikey',
  'budget',
  'export-destination',
  'invitation',
  'invoice',
  'mcp-server',
  'model',
  'model-alias',
  'experiment',
  'organisation',
  'price',
  'price-correction',
  'provider',
  'provider-key',
  'quota',
  'rate-limit',
  'routing-policy',
  'screening-policy',
  'session',
  'team',
  'team-member',
  'usage_record',
  'usage_rerate',
  'usage-view',
  'user',
] as const;
