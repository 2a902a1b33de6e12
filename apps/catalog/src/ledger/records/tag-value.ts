/**
 * SQL: the value of a tag in a record's tags (`project:blue, tier:gold`); null: the record does not have the tag. Both
 * arguments are SQL.
 */
export const tagValueOf = (tags: string, key: string): string =>
  `(SELECT substr(tag, length(${key}) + 2) FROM unnest(string_to_array(${tags}, ', ')) AS tag
    WHERE starts_with(tag, ${key} || ':') LIMIT 1)`;
