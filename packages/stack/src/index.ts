// The launcher's exports for tests and tools: real servers on free ports of 127.0.0.1.
export * from './servers';
export { SERVICES, type Layout, type Ports, type ServiceName, workspaceRoot } from './services';
export {
  type Changes,
  type RunningService,
  type Stack,
  type StackOptions,
  createStack,
} from './stack';
export { verify, type Verification, type VerifyInput } from './ledger-verify';
export { STDIO_SERVER_SCRIPT, writeStdioCommands } from './runner-commands';
export { openState, type Secrets, type State } from './state';
