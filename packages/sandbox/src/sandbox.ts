// Calls of tenants' code, with their limits.

import { createPool } from './pool';
import { SandboxError } from './sandbox-error';
import type { Answer } from './thread';

export { SandboxBusyError, SandboxError } from './sandbox-error';

export interface SandboxLimits {
  /** Threads; each has an interpreter of its own. */
  readonly threads: number;
  /** Calls that wait for a thread; more are refused. */
  readonly waiting: number;
  /** Those of one owner. */
  readonly waitingOfOwner: number;
  /** The arguments of those, as JSON. */
  readonly charactersOfOwner: number;
  /** Time that the code may run. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
  /** Of an argument and of a result, as JSON. */
  readonly characters: number;
}

export const SANDBOX_LIMITS: SandboxLimits = {
  threads: 2,
  waiting: 256,
  waitingOfOwner: 32,
  charactersOfOwner: 8_000_000,
  cpuMs: 500,
  memoryBytes: 16 * 1024 * 1024,
  characters: 2_000_000,
};

export interface SandboxResult {
  /** What the function returned. */
  readonly value: unknown;
  /** What the code wrote with `console.log`. */
  readonly logs: readonly string[];
}

export interface Sandbox {
  /**
   * Calls the function `check` of the code with a value that is copied. `owner`: whose code it is; owners
   * have turns.
   * @throws SandboxError
   */
  readonly run: (
    owner: string,
    code: string,
    input: unknown,
    timeoutMs: number,
  ) => Promise<SandboxResult>;
  /**
   * Loads the code without calling it.
   * @throws SandboxError
   */
  readonly check: (owner: string, code: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** For a thread to be free. */
const CHECK_MS = 10_000;

export function createSandbox(over: Partial<SandboxLimits> = {}): Sandbox {
  const limits = { ...SANDBOX_LIMITS, ...over };
  const pool = createPool(limits);

  const call = async (
    owner: string,
    code: string,
    input: string | undefined,
    timeoutMs: number,
  ): Promise<Answer> => {
    const { characters, cpuMs, memoryBytes } = limits;
    if ((input?.length ?? 0) > characters) throw new SandboxError('the texts are too long');
    const answer = await pool.ask(owner, { code, input, cpuMs, memoryBytes }, timeoutMs);
    if (answer.error !== undefined) throw new SandboxError(answer.error, answer.logs, true);
    return answer;
  };

  return {
    run: async (owner, code, input, timeoutMs) => {
      const { logs, output = 'null' } = await call(owner, code, JSON.stringify(input), timeoutMs);
      if (output.length > limits.characters) throw new SandboxError('the result is too long', logs);
      return { value: JSON.parse(output), logs };
    },
    check: async (owner, code) => {
      await call(owner, code, undefined, limits.cpuMs + CHECK_MS);
    },
    stop: pool.stop,
  };
}
