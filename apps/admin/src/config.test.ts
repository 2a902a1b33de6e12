import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeConfig, readConfig } from '@tollgate/kit';

import { configShape } from './config';

test('nothing has to be set to start beside the other services', () => {
  expect(describeConfig(configShape).filter(({ required }) => required)).toEqual([]);
  expect(readConfig('admin', configShape, {})).toMatchObject({
    ADMIN_PORT: 3000,
    CATALOG_URL: 'http://127.0.0.1:8081',
    EDGE_URL: 'http://127.0.0.1:8080',
  });
});

test('the launcher listens where the configuration says', () => {
  const launcher = readFileSync(join(__dirname, '../start.mjs'), 'utf8');
  const { ADMIN_PORT, HOST } = configShape;
  expect(launcher).toContain(`process.env.ADMIN_PORT || '${String(ADMIN_PORT.default)}'`);
  expect(launcher).toContain(`process.env.HOST || '${HOST.default}'`);
});
