import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const SOURCES = join(__dirname, '..');

// Each would ignore the viewer's locale, or differ between server and browser.
const OWN_FORMATS =
  /\.toLocale\w*\(|\bIntl\.(?:NumberFormat|DateTimeFormat|RelativeTimeFormat|ListFormat)\b|['"`]en-[A-Z]{2}['"`]/;

test('numbers, money and dates are formatted in this folder alone', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file) && !file.startsWith(`format${sep}`),
  );
  expect(files.length).toBeGreaterThan(100);
  const offenders = files.filter((file) =>
    OWN_FORMATS.test(readFileSync(join(SOURCES, file), 'utf8')),
  );
  // The server asks which locales there are.
  expect(offenders).toEqual([join('server', 'locales.ts')]);
});
