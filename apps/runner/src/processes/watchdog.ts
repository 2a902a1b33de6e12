// A tiny process beside the runner that knows the group of every child. When the runner dies without
// stopping (SIGKILL, out of memory) its pipe closes, and the watchdog kills every group that is left, and
// every descendant of a child that has left its group.
// It is a shell script of built-ins, so it needs 1 MB, and it runs in a session of its own, out of
// reach of a signal to the runner's group.
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { createRestarts, withDeadline, type Logger } from '@tollgate/kit';

import type { ChildUsers } from './child-users';
import { SHELL } from './shell';

const SCRIPT = `
trap '' HUP INT TERM
groups=' '
while read -r action group; do
  case $action in
    add) groups="$groups$group "; echo "$group" ;;
    drop) case $groups in
      *" $group "*) groups="\${groups%% "$group" *} \${groups#* "$group" }" ;;
    esac ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
descendants() {
  if [ "$2" -gt 0 ]; then
    for file in /proc/[0-9]*/status; do
      state= uid=
      while read -r name one two rest; do
        case $name in
          State:) state=$one ;;
          Uid:) uid=$two; break ;;
        esac
      done 2>/dev/null <"$file"
      if [ "\${uid:-0}" -ge "$2" ] && [ "$uid" -le "$3" ] && [ "$state" != Z ]; then echo "$file"; fi
    done
  else
    grep -ls -- "$1" /proc/[0-9]*/environ
  fi
}
rounds=0
while [ "$rounds" -lt 50 ]; do
  found=$(descendants "$@")
  if [ -z "$found" ]; then break; fi
  for file in $found; do
    process=\${file#/proc/}
    kill -s KILL -- "\${process%/*}"
  done
  rounds=$((rounds + 1))
done
rm -rf -- "$4"-* 2>/dev/null
`;

/** A shell answers within milliseconds; on a machine that is swapping within seconds. */
const ANSWER_MS = 5_000;
const RESTARTS = { firstMs: 50, mostMs: 5_000, steadyMs: 10_000 };

export interface Watchdog {
  /** Resolves once the group is known. A child must not run before that. */
  readonly add: (group: number) => Promise<void>;
  readonly drop: (group: number) => void;
  /** False while a watchdog that ended is being replaced. */
  readonly running: () => boolean;
  readonly pid: () => number | undefined;
  /** Call it when no group is left. */
  readonly stop: () => void;
}

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

type Script = ChildProcessByStdio<Writable, Readable, null>;

/** Throws if the system has no room for a process. */
function spawnScript(args: readonly string[]): Script {
  return spawn(SHELL, ['-c', SCRIPT, 'tollgate-runner-watchdog', ...args], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

type Users = Pick<ChildUsers, 'mark' | 'range' | 'temporaryFolder'>;

/** What the script finds descendants and their folders by. */
function argumentsFor({ mark, range, temporaryFolder }: Users): string[] {
  const { first = 0, last = 0 } = range ?? {};
  return [mark, String(first), String(last), join(temporaryFolder, mark)];
}

/** `users`: by whom descendants of children are found, also those that left their group. */
export function createWatchdog(users: Users, log: Logger): Watchdog {
  const groups = new Set<number>();
  const waiting = new Map<number, Waiting>();
  const restarts = createRestarts(RESTARTS);
  let script: Script | undefined;
  let stopped = false;

  const start = (): void => {
    const startedMs = performance.now();
    const startAgain = (): void => {
      const { afterMs } = restarts.ended(performance.now() - startedMs) ?? { afterMs: 0 };
      setTimeout(() => !stopped && start(), afterMs);
    };
    const failed = (error: unknown): void =>
      log.error('the watchdog of child processes cannot run', { error });
    let child: Script;
    try {
      child = spawnScript(argumentsFor(users));
    } catch (error) {
      failed(error);
      return startAgain();
    }
    child.on('error', failed);
    // Without file descriptors a process has no pipes, and no end.
    if ((child.stdout as Readable | undefined) === undefined) return startAgain();
    script = child;
    createInterface({ input: child.stdout }).on('line', (line) => {
      waiting.get(Number(line))?.resolve();
    });
    // A write to a script that has ended fails here; `close` deals with it.
    child.stdin.on('error', () => undefined);
    child.on('close', (code, signal) => {
      script = undefined;
      if (stopped) return;
      log.error('the watchdog of child processes ended', { code, signal });
      startAgain();
    });
    for (const group of groups) child.stdin.write(`add ${group}\n`);
  };
  start();

  const acknowledged = (group: number): Promise<void> =>
    new Promise((resolve, reject) => waiting.set(group, { resolve, reject }));

  return {
    add: async (group) => {
      groups.add(group);
      const answer = acknowledged(group);
      script?.stdin.write(`add ${group}\n`);
      try {
        await withDeadline(answer, ANSWER_MS, 'the watchdog of child processes');
      } finally {
        waiting.delete(group);
      }
    },
    drop: (group) => {
      groups.delete(group);
      script?.stdin.write(`drop ${group}\n`);
    },
    running: () => script !== undefined,
    pid: () => script?.pid,
    stop: () => {
      stopped = true;
      script?.stdin.end();
    },
  };
}
