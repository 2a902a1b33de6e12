// Writes docs/billed-units.md from the built table.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { billedUnitsPage } = createRequire(import.meta.url)('../dist/billed-units-page.js');
writeFileSync(join(import.meta.dirname, '../../../docs/billed-units.md'), billedUnitsPage());
