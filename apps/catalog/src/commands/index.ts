/** Command lines for operators. Each returns an exit code; a file directly in `src` launches it. */
export { migrateCommand } from './migrate-command';
export { rotateCommand } from './rotate-command';
