import { hash, verify } from '@node-rs/argon2';
import { restError } from '@tollgate/contracts';

/**
 * Argon2id with OWASP's minimum parameters (19 MiB, 2 passes). Concurrency is limited, so that a
 * flood of sign-ins does not exhaust memory and cores.
 */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const AT_ONCE = 4;
const WAITING = 100;

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes the same time for a missing password or user as for a wrong password. */
  verify(stored: string | null, password: string): Promise<boolean>;
}

/** Whether a stored hash was made with weaker parameters than today's. */
export function isOutdated(stored: string): boolean {
  const found = /^\$argon2id\$v=\d+\$m=(\d+),t=(\d+),p=\d+\$/.exec(stored);
  if (found === null) return false;
  const [, memoryCost, timeCost] = found.map(Number);
  return (memoryCost ?? 0) < PARAMETERS.memoryCost || (timeCost ?? 0) < PARAMETERS.timeCost;
}

export function createPasswords(): Passwords {
  let running = 0;
  const waiting: (() => void)[] = [];
  let decoy: Promise<string> | undefined;

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= AT_ONCE) {
      if (waiting.length >= WAITING) throw restError('dependency_unavailable');
      // A finished hash passes its slot on, so `running` is not changed.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  }

  return {
    hash: (password) => inTurn(() => hash(password, PARAMETERS)),
    async verify(stored, password) {
      decoy ??= inTurn(() => hash('nobody has this password', PARAMETERS));
      const against = stored ?? (await decoy);
      const right = await inTurn(() => verify(against, password));
      return right && stored !== null;
    },
  };
}
