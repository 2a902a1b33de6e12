// Writes docs/errors.md from the built error tables.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { errorsPage } = createRequire(import.meta.url)('../dist/errors-page.js');
writeFileSync(join(import.meta.dirname, '../../../docs/errors.md'), errorsPage());
