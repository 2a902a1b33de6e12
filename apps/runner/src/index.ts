// The runner starts STDIO servers and speaks the old HTTP+SSE transport, and offers both as Streamable
// HTTP to the edge. http/ is the inward side, sessions/ what clients talk to, channels/ the ways to a
// server, processes/ the life of child processes, commands/ the operator's file, connections/ what the
// catalog says. app.ts connects them, main.ts starts them; docs/runner.md is for operators.
export { startRunner, type Runner, type RunnerDeps } from './app';
export { configShape, loadConfig, type Config } from './config';
