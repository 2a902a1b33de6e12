// Parts that need Node: gRPC definitions, types and clients, keys and sealed secrets, address
// checks.
export * from './cloud-identities';
export * from './cloud-tokens';
export * from './billed-units';
export * from './addresses';
export * from './client-credentials';
export * from './api-keys';
export * from './canonical-digest';
export * from './clients';
export * from './config-shapes';
export { errorOfDenial, describeDecision, type Described } from './describe-decision';
export { emptySettle } from './empty-settle';
export type * from './generated';
export * from './connections';
export * from './grpc-callers';
export * from './guarded-lookup';
export * from './dry-run-ticket';
export * from './key-ring';
export * from './shared-parts';
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
  ScreeningClient,
  ScreeningDefinition,
  protos,
} from './protos';
// The secret's shape is defined where it is sealed and opened; the message only carries it.
export type { SealedSecret } from './key-ring';
