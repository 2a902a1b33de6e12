// The services' definitions, loaded from the protos. Types come from ./generated (`pnpm generate`).
import { loadPackageDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type * as generated from './generated';
import type { ProtoGrpcType as DirectoryProto } from './generated/directory';
import type { ProtoGrpcType as LedgerProto } from './generated/ledger';
import type { ProtoGrpcType as PolicyProto } from './generated/policy';

export const PROTO_FILES = [
  'tollgate/policy/v1/policy.proto',
  'tollgate/catalog/v1/directory.proto',
  'tollgate/catalog/v1/ledger.proto',
] as const;

/** The options of scripts/generate.mjs; the types tell the truth only while both agree. */
export const LOADER_OPTIONS = {
  keepCase: false,
  longs: Number,
  enums: String,
  defaults: true,
  oneofs: true,
} as const;

/** The folder of the protos: beside the built code, or at the workspace's top from the source. */
export const PROTO_DIR = protoDir([join(__dirname, 'protos'), join(__dirname, '../../../protos')]);

const loaded = loadPackageDefinition(
  loadSync([...PROTO_FILES], { ...LOADER_OPTIONS, includeDirs: [PROTO_DIR] }),
) as unknown as PolicyProto & DirectoryProto & LedgerProto;

// Each is a value and, under the same name, the type of it (of a client: of its instances).
export const PolicyClient = loaded.tollgate.policy.v1.PolicyService;
export type PolicyClient = generated.PolicyServiceClient;
export const DirectoryClient = loaded.tollgate.catalog.v1.Directory;
export type DirectoryClient = generated.DirectoryClient;
export const LedgerClient = loaded.tollgate.catalog.v1.Ledger;
export type LedgerClient = generated.LedgerClient;

export const PolicyServiceDefinition = PolicyClient.service;
export type PolicyServiceDefinition = generated.PolicyServiceDefinition;
export const DirectoryDefinition = DirectoryClient.service;
export type DirectoryDefinition = generated.DirectoryDefinition;
export const LedgerDefinition = LedgerClient.service;
export type LedgerDefinition = generated.LedgerDefinition;

/** The definitions by package. */
export const protos = {
  policy: { PolicyServiceDefinition },
  catalog: { DirectoryDefinition, LedgerDefinition },
} as const;

function protoDir(places: readonly string[]): string {
  const found = places.find((place) => existsSync(join(place, PROTO_FILES[0])));
  if (found === undefined) throw new Error(`no protos in ${places.join(' or ')}`);
  return found;
}
