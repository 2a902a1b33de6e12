/**
 * What the data plane must know: a key's context, versions of connections, and the stream of
 * changes. Read-only, except for publishing a connection, which is here beside its reader.
 */
export { publishConnection } from './connections';
export { createDirectoryService, type DirectoryDeps } from './service';
