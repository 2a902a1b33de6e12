import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { BILLED_UNITS } from './billed-units';
import { billedUnitsPage } from './billed-units-page';
import { UNITS } from './units';

test('docs/billed-units.md is what the table says (write it anew: pnpm billed-units-page)', () => {
  const page = readFileSync(join(__dirname, '../../../docs/billed-units.md'), 'utf8');
  expect(page).toBe(billedUnitsPage());
});

test('every unit is in the table, a size and quality of images for all of them', () => {
  const listed = new Set(BILLED_UNITS.map(({ by }) => by.replace(/^image_.*/, 'image')));
  const missing = Object.keys(UNITS).filter(
    (unit) => !listed.has(unit.replace(/^image_.*/, 'image')),
  );
  expect(missing).toEqual([]);
});

test('each row has a name of its own', () => {
  const ids = BILLED_UNITS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});
