// What needs Node: the gRPC definitions, their types and clients, keys and sealed secrets, address
// checks.
export * from './billed-units';
export * from './addresses';
export * from './api-keys';
export * from './clients';
export type * from './generated';
export * from './grpc-callers';
export * from './key-ring';
export {
  DirectoryClient,
  DirectoryDefinition,
  LOADER_OPTIONS,
  LedgerClient,
  LedgerDefinition,
  PROTO_DIR,
  PROTO_FILES,
  PolicyClient,
  PolicyServiceDefinition,
  protos,
} from './protos';
// A secret's own shape is the one that is sealed and opened; the message only carries it.
export type { SealedSecret } from './key-ring';
