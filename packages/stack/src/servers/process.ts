import { spawn, type ChildProcess } from 'node:child_process';

export interface ServerProcess {
  readonly pid: number;
  /** Last lines of both streams, for error messages. */
  readonly tail: () => string;
  readonly signal: (name: NodeJS.Signals) => void;
  readonly running: () => boolean;
  /** Resolves when the process has ended. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Sends the signal (SIGTERM by default), and SIGKILL if the process does not end in time. */
  readonly stop: (name?: NodeJS.Signals, patienceMs?: number) => Promise<void>;
}

const TAIL_BYTES = 8_192;

export interface SpawnOptions {
  readonly cwd?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Its own process group, so that a Ctrl-C at the terminal reaches only the launcher. */
  readonly detached?: boolean | undefined;
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
}

/** Starts a server as a child and keeps the end of its output. Throws when it cannot be started. */
export async function spawnServer(
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
): Promise<ServerProcess> {
  const child: ChildProcess = spawn(command, [...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: options.cwd,
    env: options.env ?? process.env,
    detached: options.detached ?? false,
    ...(options.uid === undefined ? {} : { uid: options.uid }),
    ...(options.gid === undefined ? {} : { gid: options.gid }),
  });
  let kept = '';
  const keep = (chunk: Buffer): void => {
    kept = (kept + chunk.toString('utf8')).slice(-TAIL_BYTES);
    options.onOutput?.(chunk);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${command} has no process id`);
  const alive = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    pid,
    tail: () => kept,
    running: alive,
    signal: (name) => {
      if (alive()) child.kill(name);
    },
    ended,
    stop: async (name = 'SIGTERM', patienceMs = 10_000) => {
      if (!alive()) return;
      // A stopped process handles no signal but SIGKILL until it continues.
      child.kill('SIGCONT');
      child.kill(name);
      const force = setTimeout(() => child.kill('SIGKILL'), patienceMs);
      await ended;
      clearTimeout(force);
    },
  };
}

/** Repeats `probe` every 25 ms until it succeeds; throws its last error on timeout. */
export async function until<T>(
  probe: () => Promise<T>,
  what: string,
  timeoutMs: number,
  server?: ServerProcess,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  const alive = (): boolean => server?.running() ?? true;
  for (;;) {
    try {
      return await probe();
    } catch (error) {
      const over = !alive();
      if (over || performance.now() > deadline) {
        const output = server === undefined ? '' : `\n${server.tail()}`;
        throw new Error(`${what}: ${over ? 'it ended' : 'not in time'}${output}`, { cause: error });
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
