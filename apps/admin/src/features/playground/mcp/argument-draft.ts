import { isObject, type Field, type NamedField } from './schema-fields';

// The arguments of a tool as a form holds them: text for each value, and back. Pure.

export type Draft = string | DraftObject | readonly Draft[];
export interface DraftObject {
  readonly [name: string]: Draft;
}

/** Messages by the path of their field: "filter.tags[0]". */
export type Problems = Readonly<Record<string, string>>;

export function emptyDraft(field: Field): Draft {
  switch (field.kind) {
    case 'object':
      return Object.fromEntries(
        field.fields.map(({ name, field: own, initial }) => [name, draftOf(own, initial)]),
      );
    case 'list':
      return [];
    default:
      return '';
  }
}

/** The draft of a value. A value that does not suit the field leaves it empty. */
export function draftOf(field: Field, value: unknown): Draft {
  if (value === undefined) return emptyDraft(field);
  switch (field.kind) {
    case 'text':
      return typeof value === 'string' ? value : '';
    case 'number':
      return typeof value === 'number' ? String(value) : '';
    case 'flag':
      return typeof value === 'boolean' ? String(value) : '';
    case 'choice': {
      const at = field.options.findIndex((option) => sameJson(option, value));
      return at < 0 ? '' : String(at);
    }
    case 'json':
      return JSON.stringify(value, undefined, 2);
    case 'list':
      return Array.isArray(value) ? value.map((item: unknown) => draftOf(field.item, item)) : [];
    case 'object': {
      const given = isObject(value) ? value : {};
      return Object.fromEntries(
        field.fields.map(({ name, field: own }) => [
          name,
          draftOf(own, Object.hasOwn(given, name) ? given[name] : undefined),
        ]),
      );
    }
  }
}

interface Read {
  /** Undefined: nothing was entered. */
  readonly value: unknown;
  readonly problems: Problems;
}

const NOTHING: Read = { value: undefined, problems: {} };
const REQUIRED = 'This field is required.';

/** The arguments of the draft. Fields that are left empty are not sent. */
export function argumentsOf(
  field: Field,
  draft: Draft,
): { readonly arguments: Readonly<Record<string, unknown>> } | { readonly problems: Problems } {
  const { value, problems } = read(field, draft, '', false);
  if (Object.keys(problems).length > 0) return { problems };
  if (value === undefined) return { arguments: {} };
  if (!isObject(value)) return { problems: { '': 'The arguments of a tool are a JSON object.' } };
  return { arguments: value };
}

/** `optional`: an object of which nothing is entered is left out, with its required fields. */
function read(field: Field, draft: Draft, path: string, optional: boolean): Read {
  switch (field.kind) {
    case 'object':
      return optional && isBlank(draft)
        ? NOTHING
        : readObject(field.fields, isDraftObject(draft) ? draft : {}, path);
    case 'list':
      return readList(field.item, Array.isArray(draft) ? draft : [], path);
    case 'json':
    case 'text':
    case 'number':
    case 'flag':
    case 'choice':
      return typeof draft === 'string' ? readText(field, draft, path) : NOTHING;
  }
}

type TextField = Exclude<Field, { kind: 'object' | 'list' }>;

function readText(field: TextField, text: string, path: string): Read {
  if (field.kind === 'text') return text === '' ? NOTHING : good(text);
  const typed = text.trim();
  if (typed === '') return NOTHING;
  switch (field.kind) {
    case 'flag':
      return good(typed === 'true');
    case 'choice':
      return good(field.options[Number(typed)]);
    case 'number': {
      const value = Number(typed);
      if (!Number.isFinite(value)) return bad(path, 'This is not a number.');
      if (field.whole && !Number.isInteger(value)) return bad(path, 'This is not a whole number.');
      return good(value);
    }
    case 'json':
      try {
        return good(JSON.parse(typed));
      } catch {
        return bad(path, 'This is not valid JSON.');
      }
  }
}

function readObject(fields: readonly NamedField[], draft: DraftObject, path: string): Read {
  const value: [string, unknown][] = [];
  let problems: Problems = {};
  for (const { name, required, field } of fields) {
    const at = path === '' ? name : `${path}.${name}`;
    const own = read(field, draft[name] ?? '', at, !required);
    problems = { ...problems, ...own.problems };
    if (own.value !== undefined) value.push([name, own.value]);
    else if (required && field.kind === 'list') value.push([name, []]);
    else if (required && Object.keys(own.problems).length === 0) {
      problems = { ...problems, [at]: REQUIRED };
    }
  }
  return { value: Object.fromEntries(value), problems };
}

function readList(item: Field, drafts: readonly Draft[], path: string): Read {
  if (drafts.length === 0) return NOTHING;
  let problems: Problems = {};
  const value = drafts.map((draft, index) => {
    const at = `${path}[${String(index)}]`;
    const own = read(item, draft, at, false);
    problems = { ...problems, ...own.problems };
    if (own.value !== undefined || own.problems[at] !== undefined) return own.value;
    if (item.kind === 'list') return [];
    // An empty text is a text.
    if (item.kind === 'text') return '';
    problems = { ...problems, [at]: REQUIRED };
    return undefined;
  });
  return { value, problems };
}

function good(value: unknown): Read {
  return { value, problems: {} };
}

function bad(path: string, message: string): Read {
  return { value: undefined, problems: { [path]: message } };
}

function isBlank(draft: Draft): boolean {
  if (typeof draft === 'string') return draft.trim() === '';
  return Object.values(draft).every(isBlank);
}

export function isDraftObject(draft: Draft): draft is DraftObject {
  return typeof draft === 'object' && !Array.isArray(draft);
}

/** Whether two JSON values are the same, whatever the order of their fields. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => sameJson(item, other[at]));
  }
  if (!isObject(one) || !isObject(other)) return Object.is(one, other);
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && sameJson(one[name], other[name]))
  );
}

/** The draft that sends exactly these arguments; undefined where the form cannot show them. */
export function draftShowing(field: Field, value: unknown): Draft | undefined {
  const draft = draftOf(field, value);
  const back = argumentsOf(field, draft);
  return 'arguments' in back && sameJson(back.arguments, value) ? draft : undefined;
}
