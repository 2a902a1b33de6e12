// Starts one child process in a group of its own, and ends the whole group with it.
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

import type { ChildUser, ChildUsers } from './child-users';
import type { Leftovers } from './leftovers';
import { SHELL } from './shell';
import type { Watchdog } from './watchdog';

/** What to run. `env` is the child's whole environment. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Undefined: the child's private folder, which is also its HOME and TMPDIR. */
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** The part of `env` that logs must not contain. */
  readonly secret: string | undefined;
  /** Limit of the child's memory with its descendants; 0: none. The kernel's limit here is coarser. */
  readonly memoryMb: number;
  readonly maxProcesses: number;
}

export interface LaunchDeps {
  readonly watchdog: Watchdog;
  readonly users: ChildUsers;
  readonly leftovers: Leftovers;
  /** What starts the command, with its options; empty: nothing. */
  readonly setpriv: readonly string[];
  /** Time between SIGTERM and SIGKILL. */
  readonly killGraceMs: number;
}

export interface Child {
  /** The id of its group too; undefined if it could not be started. */
  readonly pid: number | undefined;
  readonly user: ChildUser;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves with the reason when its process has ended and nothing of it is left. */
  readonly ended: Promise<string>;
  /** Ends the group: end of input and SIGTERM, then SIGKILL. */
  readonly end: () => Promise<string>;
}

// The command and its arguments are positional parameters, so the shell interprets none of them. The
// script waits for a line on descriptor 3: the command does not run before the watchdog knows its
// group, and never if the runner dies in between. No core files: they would contain secrets.
const SCRIPT = `
ulimit -c 0
if [ "$1" -gt 0 ]; then ulimit -d "$1" || exit 126; fi
if [ "$2" -gt 0 ]; then ulimit -p "$2" 2>/dev/null || ulimit -u "$2" || exit 126; fi
umask 077
mkdir -- "$TMPDIR" || exit 126
cd -- "\${3:-$TMPDIR}" || exit 126
read -r go <&3 || exit 125
exec 3<&-
shift 3
exec "$@"
`;

/**
 * Runtimes reserve much more data than they use: Node 24 starts with 575 MB. The kernel's limit of each
 * process stops what grows faster than ./usage-watch.ts measures.
 */
const RESERVED_MB = 1_024;
/** The kernel counts threads: runtimes have many of them. */
const THREADS_OF_A_PROCESS = 64;

let folders = 0;

/** A text says why there is no child. */
export function launch(what: Launch, deps: LaunchDeps): Child | string {
  const user = deps.users.take();
  // There are as many users as there may be sessions, but those of whom something is left are missing.
  if (user === undefined) {
    deps.leftovers.retry();
    return 'every user of RUNNER_CHILD_UIDS is taken';
  }
  folders += 1;
  const folder = join(deps.users.temporaryFolder, `${deps.users.mark}-${folders}`);
  let started: Started;
  try {
    started = spawnChild(what, deps, user, folder);
  } catch (error) {
    deps.users.giveBack(user);
    return `it cannot be started: ${error instanceof Error ? error.message : String(error)}`;
  }
  const { child, pipes } = started;
  const { pid } = child;
  const [stdin, stdout, stderr, gate] = pipes;
  // A write to a child that has ended fails here; `ended` tells of its end.
  for (const pipe of [stdin, gate]) pipe.on('error', () => undefined);
  let failure: string | undefined;
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${String(code)}`));
    child.once('error', (error) => {
      if (pid === undefined) resolve(`cannot be started: ${error.message}`);
    });
  });
  const ended = exited.then(async (reason) => {
    // What the process left behind in its group ends with it.
    if (pid !== undefined) signalGroup(pid, 'SIGKILL');
    await deps.leftovers.remove(user, folder);
    if (pid !== undefined) deps.watchdog.drop(pid);
    return failure ?? reason;
  });
  const end = async (): Promise<string> => {
    stdin.end();
    if (pid === undefined) return ended;
    signalGroup(pid, 'SIGTERM');
    const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), deps.killGraceMs);
    try {
      await exited;
    } finally {
      clearTimeout(timer);
    }
    return ended;
  };
  if (pid !== undefined) {
    deps.watchdog.add(pid).then(
      () => gate.end('go\n'),
      (error: unknown) => {
        failure = error instanceof Error ? error.message : String(error);
        gate.end();
      },
    );
  }
  return { pid, user, stdin, stdout, stderr, ended, end };
}

interface Started {
  readonly child: ChildProcess;
  /** Standard input, output and error, and the gate. */
  readonly pipes: readonly [Writable, Readable, Readable, Writable];
}

/** Throws if the system has no room for a process. */
function spawnChild(
  what: Launch,
  { setpriv }: LaunchDeps,
  user: ChildUser,
  folder: string,
): Started {
  const { command, args, cwd, memoryMb, maxProcesses } = what;
  const { id } = user;
  const kilobytes = memoryMb === 0 ? 0 : (memoryMb + RESERVED_MB) * 1_024;
  // The kernel counts all processes of a user, so without one of its own a child cannot be limited so.
  const threads = id === undefined ? 0 : maxProcesses * THREADS_OF_A_PROCESS;
  const child = spawn(
    SHELL,
    [
      '-c',
      SCRIPT,
      'tollgate-runner-child',
      String(kilobytes),
      String(threads),
      cwd ?? '',
      ...setpriv,
      command,
      ...args,
    ],
    {
      cwd: '/',
      env: { ...what.env, ...user.env, HOME: what.env['HOME'] ?? folder, TMPDIR: folder },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      ...(id === undefined ? {} : { uid: id, gid: id }),
    },
  );
  const [stdin, stdout, stderr, gate] = (child.stdio as typeof child.stdio | undefined) ?? [];
  if (!stdin || !stdout || !stderr || !gate) {
    child.once('error', () => undefined);
    throw new Error('too many open files');
  }
  return { child, pipes: [stdin, stdout, stderr, gate as Writable] };
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    // Nothing is left of the group. On macOS a group of zombies answers EPERM.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
