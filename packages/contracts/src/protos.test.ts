import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { CALLERS, GRPC_CALLERS } from './grpc-callers';
import {
  DirectoryDefinition,
  LedgerClient,
  LedgerDefinition,
  PolicyServiceDefinition,
  PROTO_DIR,
  PROTO_FILES,
  protos,
} from './protos';

const folder = join(__dirname, 'generated');
const definitions = [PolicyServiceDefinition, DirectoryDefinition, LedgerDefinition];
const methods = definitions.flatMap((definition) => Object.values(definition));

function contentsOf(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    files.map((file) => [file.slice(root.length), readFileSync(file, 'utf8')]),
  );
}

test('the committed types are what the protos say (write them anew: pnpm generate)', () => {
  const fresh = mkdtempSync(join(tmpdir(), 'contracts-'));
  try {
    execFileSync(process.execPath, [join(__dirname, '../scripts/generate.mjs'), fresh], {
      stdio: 'pipe',
    });
    expect(contentsOf(folder)).toEqual(contentsOf(fresh));
  } finally {
    rmSync(fresh, { recursive: true });
  }
});

test('every proto is loaded', () => {
  const found = readdirSync(PROTO_DIR, { recursive: true, encoding: 'utf8' });
  expect(found.filter((file) => file.endsWith('.proto')).sort()).toEqual([...PROTO_FILES].sort());
});

test('every method says who may call it, and no other is named', () => {
  expect(Object.keys(GRPC_CALLERS).sort()).toEqual(methods.map((method) => method.path).sort());
  for (const callers of Object.values(GRPC_CALLERS)) {
    expect(callers.length).toBeGreaterThan(0);
    for (const caller of callers) expect(CALLERS).toContain(caller);
  }
});

test('only policy writes to the ledger, and only the edge reads connections', () => {
  // Sums of refused requests and kept bodies stand beside the books, and are the edge's only reports.
  const { KeepBodies, ReportRefused } = LedgerDefinition;
  const ofEdge = [KeepBodies.path, ReportRefused.path];
  for (const { path } of Object.values(LedgerDefinition))
    expect(GRPC_CALLERS[path]).toEqual([ofEdge.includes(path) ? 'edge' : 'policy']);
  expect(GRPC_CALLERS[DirectoryDefinition.GetConnection.path]).toEqual(['edge']);
  expect(GRPC_CALLERS[PolicyServiceDefinition.Session.path]).toEqual(['edge']);
});

test('messages are read as the types say: camel case, numbers, buffers, defaults, oneofs', () => {
  const { Authorize } = PolicyServiceDefinition;
  const request = Authorize.requestDeserialize(
    Authorize.requestSerialize({
      requestId: 'r',
      keySha256: Buffer.from([1, 2]),
      maxOutputTokens: Number.MAX_SAFE_INTEGER,
      unitsEstimate: { image: 2 },
    }),
  );
  expect(request).toMatchObject({
    requestId: 'r',
    maxOutputTokens: Number.MAX_SAFE_INTEGER,
    unitsEstimate: { image: 2 },
    model: '',
    allowedProviderTypes: [],
  });
  expect(request.keySha256.equals(Buffer.from([1, 2]))).toBe(true);
  const reply = Authorize.responseDeserialize(
    Authorize.responseSerialize({ denial: { code: 'budget_exceeded' } }),
  );
  expect(reply.decision).toBe('denial');
  expect(reply.allow ?? null).toBeNull();
});

test('definitions are found by package too', () => {
  expect(protos.policy.PolicyServiceDefinition).toBe(PolicyServiceDefinition);
  expect(protos.catalog.LedgerDefinition).toBe(LedgerClient.service);
});
