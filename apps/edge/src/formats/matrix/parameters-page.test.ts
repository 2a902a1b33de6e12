import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { parametersPage } from './test-support/parameters-page';

const PAGE = join(__dirname, '../../../../../docs/parameters.md');
const PACKAGE = join(__dirname, '../../../package.json');
const SDKS = ['openai', '@anthropic-ai/sdk', '@google/genai'];

test('docs/parameters.md matches the tables (generate it: pnpm parameters-page)', () => {
  const { devDependencies } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as {
    devDependencies: Readonly<Record<string, string>>;
  };
  const page = parametersPage(SDKS.map((name) => `${name} ${String(devDependencies[name])}`));
  if (process.env['WRITE_PAGES'] === '1') writeFileSync(PAGE, page);
  expect(readFileSync(PAGE, 'utf8')).toBe(page);
});
