/**
 * `node dist/migrate.js up | down | status`: migrates the schema, reverts one migration, or shows
 * the state.
 */
import { migrateCommand } from './commands';
import { environment } from './config';

void migrateCommand(process.argv.slice(2), environment, (line) => {
  process.stdout.write(line);
}).then((code) => {
  process.exitCode = code;
});
