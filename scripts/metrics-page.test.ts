// docs/metrics.md names the metrics that the services register.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const SCRIPT = join(__dirname, 'metrics-page.mjs');
const PAGE = join(__dirname, '../docs/metrics.md');

// Prettier aligns the columns of the page.
const unaligned = (text: string) => text.replace(/ {2,}/g, ' ').replace(/-{2,}/g, '---');

test('the page has every metric as the source registers it (node scripts/metrics-page.mjs)', () => {
  const written = execFileSync(process.execPath, [SCRIPT, '--print'], { encoding: 'utf8' });
  expect(unaligned(readFileSync(PAGE, 'utf8'))).toBe(unaligned(written));
});
