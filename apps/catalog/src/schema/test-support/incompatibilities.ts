import type { Column, Rule } from './schema';

/** Whether services that know an earlier schema can read and write a later one. */

export interface Schema {
  readonly columns: readonly Column[];
  readonly rules: readonly Rule[];
}

const columnName = ({ table, name }: { table: string; name: string }): string => `${table}.${name}`;

/** What breaks such services, as lines; empty when nothing does. */
export function incompatibilitiesOf(
  earlier: Schema,
  later: Schema,
  unused: readonly string[],
): string[] {
  const used = ({ table }: { table: string }): boolean => !unused.includes(table);
  const known = new Set(earlier.columns.map(columnName));
  return [
    ...columnsBroken(earlier.columns.filter(used), later.columns),
    ...columnsWithoutDefault(earlier, later)
      .filter(used)
      .map((column) => `${columnName(column)} has to be given`),
    ...rulesBroken(earlier.rules, later.rules.filter(used), known),
    ...keysGone(earlier.rules.filter(used), later.rules),
  ];
}

/** Columns that are gone or have changed. */
function columnsBroken(earlier: readonly Column[], later: readonly Column[]): string[] {
  const now = new Map(later.map((column) => [columnName(column), column]));
  return earlier.flatMap((column) => {
    const there = now.get(columnName(column));
    if (there === undefined) return [`${columnName(column)} is gone`];
    const faults: string[] = [];
    if (there.type !== column.type) faults.push(`${columnName(column)} is ${there.type} now`);
    if (there.required && !column.required)
      faults.push(`${columnName(column)} may not be null now`);
    if (!there.required && column.required) faults.push(`${columnName(column)} may be null now`);
    if (column.filled !== null && there.filled === null) {
      faults.push(`${columnName(column)} has no default any more`);
    }
    return faults;
  });
}

/** New columns without a default, which an INSERT that does not name them cannot fill. */
function columnsWithoutDefault(earlier: Schema, later: Schema): Column[] {
  const known = new Set(earlier.columns.map(columnName));
  const tables = new Set(earlier.columns.map(({ table }) => table));
  return later.columns.filter(
    (column) =>
      tables.has(column.table) &&
      !known.has(columnName(column)) &&
      column.required &&
      column.filled === null,
  );
}

/** New rules on existing columns, unless they allow everything that the old rule allowed. */
function rulesBroken(
  earlier: readonly Rule[],
  later: readonly Rule[],
  known: ReadonlySet<string>,
): string[] {
  const before = new Map(earlier.map((rule) => [columnName(rule), rule]));
  return later.flatMap((rule) => {
    const old = before.get(columnName(rule));
    if (old?.definition === rule.definition) return [];
    const ofNewColumns =
      rule.columns.length > 0 &&
      // New rows leave these columns null or at the same default, which only a unique rule refuses.
      (rule.kind === 'unique' || rule.kind === 'key'
        ? rule.columns.every((name) => !known.has(`${rule.table}.${name}`))
        : rule.columns.some((name) => !known.has(`${rule.table}.${name}`)));
    if (ofNewColumns || isOfNewTable(rule, known) || (old !== undefined && isWider(old, rule))) {
      return [];
    }
    return [`${columnName(rule)} is a new rule: ${rule.definition}`];
  });
}

const isOfNewTable = ({ table }: Rule, known: ReadonlySet<string>): boolean =>
  ![...known].some((name) => name.startsWith(`${table}.`));

/** Whether a list of allowed words contains the whole old list. */
function isWider(old: Rule, rule: Rule): boolean {
  const words = ({ definition }: Rule): string[] => definition.match(/'[^']*'::text/g) ?? [];
  const form = ({ definition }: Rule): string => definition.replace(/'[^']*'::text(, )?/g, '');
  const now = words(rule);
  return (
    rule.kind === 'check' &&
    form(old) === form(rule) &&
    words(old).every((word) => now.includes(word))
  );
}

/** Unique rules that `ON CONFLICT` names. */
function keysGone(earlier: readonly Rule[], later: readonly Rule[]): string[] {
  const now = new Set(later.map(({ table, definition }) => `${table} ${definition}`));
  return earlier
    .filter(({ kind }) => kind === 'key' || kind === 'unique')
    .filter(({ table, definition }) => !now.has(`${table} ${definition}`))
    .map((rule) => `${columnName(rule)} is gone, which ON CONFLICT may name`);
}
