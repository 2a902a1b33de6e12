// Texts of records that list names, as `eu, us` and `project:blue, tier:gold`.

/** SQL: whether the list in a column has the name that is bound as `name`. Null if the column is. */
export function listHas(column: string, name: string): string {
  return `position(', ' || ${name} || ',' IN ', ' || ${column} || ',') > 0`;
}
