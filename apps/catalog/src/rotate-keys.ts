/**
 * `node dist/rotate-keys.js [--dry-run]`: re-encrypts every stored secret with the first key of the
 * ring.
 */
import { rotateCommand } from './commands';
import { environment } from './config';

void rotateCommand(process.argv.slice(2), environment, (line) => {
  process.stdout.write(line);
}).then((code) => {
  process.exitCode = code;
});
