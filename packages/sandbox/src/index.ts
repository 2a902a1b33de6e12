// Runs code that tenants wrote, in QuickJS compiled to WebAssembly, on threads of its own.
export {
  createSandbox,
  SandboxError,
  type Sandbox,
  type SandboxLimits,
  type SandboxResult,
} from './sandbox';
