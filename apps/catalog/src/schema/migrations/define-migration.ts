import type { MigrationInterface, QueryRunner } from 'typeorm';

export type Migration = new () => MigrationInterface;

/**
 * A migration of plain SQL. The name ends in its instant in milliseconds, by which migrations are
 * ordered. Each direction runs in one transaction.
 */
export function defineMigration(name: string, up: string, down: string): Migration {
  return class implements MigrationInterface {
    readonly name = name;

    async up(runner: QueryRunner): Promise<void> {
      await runner.query(up);
    }

    async down(runner: QueryRunner): Promise<void> {
      await runner.query(down);
    }
  };
}
