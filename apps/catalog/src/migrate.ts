/**
 * `node dist/migrate.js up | down | status`: migrates the schema, reverts one migration, or shows
 * the state.
 */
import { environment } from './config';
import { migrateCommand } from './commands';

void migrateCommand(process.argv.slice(2), environment, (line) => {
  process.stdout.write(line);
}).then((code) => {
  process.exitCode = code;
});
