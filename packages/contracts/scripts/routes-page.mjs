// Writes docs/routes.md from the built tables.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { servingPage } = createRequire(import.meta.url)('../dist/serving-page.js');
writeFileSync(join(import.meta.dirname, '../../../docs/routes.md'), servingPage());
