import { DefaultNamingStrategy, type NamingStrategyInterface, type Table } from 'typeorm';

const MAX_IDENTIFIER = 63;

function snake(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}

function tableOf(table: Table | string): string {
  const name = typeof table === 'string' ? table : table.name;
  return name.slice(name.lastIndexOf('.') + 1);
}

function identifier(...parts: string[]): string {
  const name = parts.join('_');
  if (name.length > MAX_IDENTIFIER)
    throw new Error(`generated name is too long, set one explicitly: ${name}`);
  return name;
}

/** Names as PostgreSQL generates them, so that plain SQL migrations match the entities. */
export class SnakeNaming extends DefaultNamingStrategy implements NamingStrategyInterface {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? snake(propertyName);
  }

  override primaryKeyName(table: Table | string): string {
    return identifier(tableOf(table), 'pkey');
  }

  override uniqueConstraintName(table: Table | string, columns: string[]): string {
    return identifier(tableOf(table), ...columns, 'key');
  }

  override foreignKeyName(table: Table | string, columns: string[]): string {
    return identifier(tableOf(table), ...columns, 'fkey');
  }

  override indexName(table: Table | string, columns: string[]): string {
    return identifier(tableOf(table), ...columns, 'idx');
  }
}
