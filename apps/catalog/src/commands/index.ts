/** Command lines for operators; each answers an exit code and is launched by a file of `src`. */
export { migrateCommand } from './migrate-command';
export { rotateCommand } from './rotate-command';
