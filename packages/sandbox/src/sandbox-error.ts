/** The code failed, or took more than it may. The message says why, with the line. */
export class SandboxError extends Error {
  override readonly name: string = 'SandboxError';

  constructor(
    message: string,
    readonly logs: readonly string[] = [],
    /** The code itself says so, perhaps with parts of its input. */
    readonly byCode = false,
  ) {
    super(message);
  }
}

/** The sandbox had no time for the code, which says nothing about it. */
export class SandboxBusyError extends SandboxError {
  override readonly name = 'SandboxBusyError';
}
