/**
 * What the data plane must know: a key's context, connections by version, and the stream of changes.
 * Reads only, except that a provider's connection is published here, where its reader lives.
 */
export { publishConnection } from './connections';
export { createDirectoryService, type DirectoryDeps } from './service';
