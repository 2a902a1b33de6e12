// Runs code that tenants wrote, in QuickJS compiled to WebAssembly, on threads of its own.
export {
  createSandbox,
  SandboxBusyError,
  SandboxError,
  type Sandbox,
  type SandboxLimits,
  type SandboxResult,
} from './sandbox';
