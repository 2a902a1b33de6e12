import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createPolicyClient } from '.';
import { GRPC_CALLERS } from '../grpc-callers';
import { PolicyServiceDefinition } from '../protos';

const page = readFileSync(join(__dirname, '../../../../docs/policy-service.md'), 'utf8');

/** The rows of the table whose first heading is this, each as its cells. */
function table(heading: string): string[][] {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} `));
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

test('docs/policy-service.md says who may call what, as the table of callers does', () => {
  const callers = Object.values(PolicyServiceDefinition).map(({ path }) => [
    path.split('/').at(-1),
    GRPC_CALLERS[path]?.join(', '),
  ]);
  expect(Object.fromEntries(table('method'))).toEqual(Object.fromEntries(callers));
});

test('every call of the client is described there', () => {
  const client = createPolicyClient({ address: '127.0.0.1:1' });
  client.close();
  const methods = Object.keys(client).filter((name) => name !== 'close');
  const described = table('call').map(([name = '']) => name[0]?.toLowerCase() + name.slice(1));
  expect(described.sort()).toEqual(methods.sort());
});
