// Ways to speak with an MCP server: the pipes of a child process, and the HTTP+SSE transport.
export type { Channel, OpenChannel } from './channel';
export { openSse, type SseTarget } from './sse';
export { openStdio, type StdioDeps } from './stdio';
export { createSseAuth, type SseAuth } from './sse-auth';
