/** `node dist/migrate.js up | down | status`: the schema on, one step back, or where it stands. */
import { environment } from './config';
import { migrateCommand } from './commands';

void migrateCommand(process.argv.slice(2), environment, (line) => {
  process.stdout.write(line);
}).then((code) => {
  process.exitCode = code;
});
