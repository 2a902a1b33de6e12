// How MCP servers are reached, and how the gateway authenticates to them. Secrets are opened here, kept in
// memory only, and never part of an error or a log line.

export { createMcpConnections, type McpConnections, type McpConnectionsDeps } from './connections';
export type { HttpUpstream, McpUpstream, RunnerUpstream } from './upstream';
