import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

// What the launcher keeps between two starts: generated secrets, the processes it started, and the
// demo. All files have mode 0600; nothing here is meant for production.

const secretsSchema = z.object({
  tokens: z.record(z.string(), z.string()),
  jwtSecret: z.string(),
  keyEncryptionKey: z.string(),
  holdTokenSecret: z.string(),
  cacheInvalidationSecret: z.string(),
  adminPassword: z.string(),
});
export type Secrets = z.output<typeof secretsSchema>;

const startedSchema = z.object({ pid: z.number().int(), startedAt: z.string(), name: z.string() });
type Started = z.output<typeof startedSchema>;

export interface State {
  readonly dir: string;
  readonly path: (...parts: string[]) => string;
  readonly secrets: Secrets;
  /**
   * Makes this process the folder's only launcher. Throws while another one runs: each would end
   * and restart the other's processes.
   */
  readonly claim: () => void;
  /** Records a process, so that the next start can end it if this one could not. */
  readonly remember: (name: string, pid: number) => void;
  readonly forget: () => void;
  /** Ends what an earlier start left running (it was killed, or the machine lost power). */
  readonly endLeftovers: () => Promise<string[]>;
  readonly writeJson: (file: string, value: unknown) => void;
  readonly readJson: (file: string) => unknown;
}

const LAUNCHER_FILE = 'launcher.json';

const CALLERS = ['edge', 'policy', 'catalog', 'runner', 'admin', 'internal', 'ops'] as const;

const word = (): string => randomBytes(24).toString('base64url');

function newTokens(): Record<string, string> {
  return Object.fromEntries(CALLERS.map((caller) => [caller, word()]));
}

function newSecrets(): Secrets {
  return {
    tokens: newTokens(),
    jwtSecret: randomBytes(32).toString('base64url'),
    keyEncryptionKey: `local-1:${randomBytes(32).toString('base64')}`,
    holdTokenSecret: randomBytes(32).toString('base64url'),
    cacheInvalidationSecret: word(),
    adminPassword: word(),
  };
}

/** When the kernel started a process, in clock ticks since boot; undefined when it is gone. */
function kernelStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The command name is in brackets and may contain spaces; the start time is the 20th field
    // after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

async function endProcess(started: Started): Promise<boolean> {
  // Pids are reused: only the same start time means the same process.
  const same = (): boolean => kernelStart(started.pid) === started.startedAt;
  if (!same()) return false;
  process.kill(started.pid, 'SIGCONT');
  process.kill(started.pid, 'SIGTERM');
  const deadline = performance.now() + 10_000;
  while (same()) {
    if (performance.now() > deadline) process.kill(started.pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return true;
}

/** Opens the state folder; creates it (mode 0700) and its secrets if missing. */
export async function openState(dir: string): Promise<State> {
  await mkdir(join(dir, 'logs'), { recursive: true, mode: 0o700 });
  const path = (...parts: string[]): string => join(dir, ...parts);
  const readJson = (file: string): unknown =>
    existsSync(path(file)) ? JSON.parse(readFileSync(path(file), 'utf8')) : undefined;
  const writeJson = (file: string, value: unknown): void => {
    // Atomic: a start that is killed here leaves the previous file.
    writeFileSync(path(`${file}.new`), `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    renameSync(path(`${file}.new`), path(file));
  };
  const kept = secretsSchema.safeParse(readJson('secrets.json'));
  // State of an older release has no tokens of callers that were added later.
  const secrets = kept.success
    ? { ...kept.data, tokens: { ...newTokens(), ...kept.data.tokens } }
    : newSecrets();
  const complete = kept.success && CALLERS.every((caller) => caller in kept.data.tokens);
  if (!complete) writeJson('secrets.json', secrets);
  const processes: Started[] = [];
  return {
    dir,
    path,
    secrets,
    readJson,
    writeJson,
    claim: () => {
      const other = startedSchema.safeParse(readJson(LAUNCHER_FILE)).data;
      if (other !== undefined && kernelStart(other.pid) === other.startedAt) {
        throw new Error(
          `npm start already runs with this state folder (process ${String(other.pid)}, ${dir}): stop it, or set STATE_DIR to another folder.`,
        );
      }
      const startedAt = kernelStart(process.pid);
      if (startedAt === undefined) return;
      writeJson(LAUNCHER_FILE, { name: 'launcher', pid: process.pid, startedAt });
    },
    remember: (name, pid) => {
      const startedAt = kernelStart(pid);
      if (startedAt === undefined) return;
      processes.push({ name, pid, startedAt });
      writeJson('processes.json', processes);
    },
    forget: () => {
      processes.length = 0;
      writeJson('processes.json', processes);
    },
    endLeftovers: async () => {
      const left = z.array(startedSchema).safeParse(readJson('processes.json'));
      if (!left.success) return [];
      const ended: string[] = [];
      for (const started of left.data.toReversed()) {
        if (await endProcess(started)) ended.push(started.name);
      }
      writeJson('processes.json', []);
      return ended;
    },
  };
}
