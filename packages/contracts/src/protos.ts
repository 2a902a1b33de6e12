// The service definitions, loaded from the protos. Types come from ./generated (`pnpm generate`).
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadPackageDefinition } from '@grpc/grpc-js';
import { loadSync, type PackageDefinition } from '@grpc/proto-loader';

import type * as generated from './generated';
import { codecs } from './generated/codecs';
import type { ProtoGrpcType as DirectoryProto } from './generated/directory';
import type { ProtoGrpcType as LedgerProto } from './generated/ledger';
import type { ProtoGrpcType as PolicyProto } from './generated/policy';
import type { ProtoGrpcType as ScreeningProto } from './generated/screening';

export const PROTO_FILES = [
  'tollgate/policy/v1/policy.proto',
  'tollgate/catalog/v1/directory.proto',
  'tollgate/catalog/v1/ledger.proto',
  'tollgate/screening/v1/screening.proto',
] as const;

/** The options of scripts/generate.mjs; the types are correct only while both agree. */
export const LOADER_OPTIONS = {
  keepCase: false,
  longs: Number,
  enums: String,
  defaults: true,
  oneofs: true,
} as const;

/** The folder of the protos: beside the built code, or at the workspace's top from the source. */
export const PROTO_DIR = protoDir([join(__dirname, 'protos'), join(__dirname, '../../../protos')]);

const plain = loadSync([...PROTO_FILES], { ...LOADER_OPTIONS, includeDirs: [PROTO_DIR] });
/** The definitions with the library's own encoding throughout, for comparison. */
export const PLAIN_DEFINITIONS: PackageDefinition = plain;

// Messages of every request use generated codecs.
const loaded = loadPackageDefinition({
  ...plain,
  'tollgate.policy.v1.PolicyService': withCodecs(
    'tollgate.policy.v1.PolicyService',
    'Session',
    codecs.SessionRequest,
    codecs.SessionReply,
  ),
  'tollgate.catalog.v1.Ledger': withCodecs(
    'tollgate.catalog.v1.Ledger',
    'Append',
    codecs.AppendRequest,
    codecs.AppendReply,
  ),
}) as unknown as PolicyProto & DirectoryProto & LedgerProto & ScreeningProto;

// Each is a value and, under the same name, its type (for a client: of its instances).
export const PolicyClient = loaded.tollgate.policy.v1.PolicyService;
export type PolicyClient = generated.PolicyServiceClient;
export const DirectoryClient = loaded.tollgate.catalog.v1.Directory;
export type DirectoryClient = generated.DirectoryClient;
export const LedgerClient = loaded.tollgate.catalog.v1.Ledger;
export type LedgerClient = generated.LedgerClient;
export const ScreeningClient = loaded.tollgate.screening.v1.Screening;
export type ScreeningClient = generated.ScreeningClient;

export const PolicyServiceDefinition = PolicyClient.service;
export type PolicyServiceDefinition = generated.PolicyServiceDefinition;
export const DirectoryDefinition = DirectoryClient.service;
export type DirectoryDefinition = generated.DirectoryDefinition;
export const LedgerDefinition = LedgerClient.service;
export type LedgerDefinition = generated.LedgerDefinition;
export const ScreeningDefinition = ScreeningClient.service;
export type ScreeningDefinition = generated.ScreeningDefinition;

/** The definitions by package. */
export const protos = {
  policy: { PolicyServiceDefinition },
  catalog: { DirectoryDefinition, LedgerDefinition },
  screening: { ScreeningDefinition },
} as const;

interface Codec {
  readonly encode: (message: object) => Buffer;
  readonly decode: (bytes: Buffer) => object;
}

function withCodecs(
  service: string,
  method: string,
  request: Codec,
  response: Codec,
): PackageDefinition[string] {
  const methods = plain[service];
  const present = methods === undefined || 'format' in methods ? undefined : methods[method];
  if (present === undefined) throw new Error(`${service} has no ${method}`);
  return {
    ...methods,
    [method]: {
      ...present,
      requestSerialize: request.encode,
      requestDeserialize: request.decode,
      responseSerialize: response.encode,
      responseDeserialize: response.decode,
    },
  };
}

function protoDir(places: readonly string[]): string {
  const found = places.find((place) => existsSync(join(place, PROTO_FILES[0])));
  if (found === undefined) throw new Error(`no protos in ${places.join(' or ')}`);
  return found;
}
