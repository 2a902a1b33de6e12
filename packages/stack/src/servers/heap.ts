import { readFile } from 'node:fs/promises';

/** What a Node process is started with so that `openHeap` finds its inspector. */
export const WITH_INSPECTOR = { NODE_OPTIONS: '--inspect=127.0.0.1:0' } as const;

export interface Heap {
  /** Bytes in use after everything that can be collected has been. */
  readonly used: () => Promise<number>;
  readonly close: () => void;
}

interface Told {
  readonly id?: number;
  readonly result?: { readonly usedSize?: number };
  readonly error?: { readonly message: string };
}

/** The heap of a process that was started with `WITH_INSPECTOR` and writes this log. */
export async function openHeap(logPath: string): Promise<Heap> {
  const said = (await readFile(logPath, 'utf8')).matchAll(/Debugger listening on (ws:\S+)/g);
  const [, url] = [...said].at(-1) ?? [];
  if (url === undefined) throw new Error(`${logPath} names no inspector`);
  const socket = new WebSocket(url);
  const waiting = new Map<number, (told: Told) => void>();
  let asked = 0;
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error(`${url} cannot be reached`)));
  });
  socket.addEventListener('message', ({ data }) => {
    const told = JSON.parse(String(data)) as Told;
    waiting.get(told.id ?? 0)?.(told);
  });
  socket.addEventListener('close', () => {
    for (const answer of waiting.values()) answer({ error: { message: `${url} has closed` } });
  });
  const ask = async (method: string): Promise<NonNullable<Told['result']>> => {
    asked += 1;
    const id = asked;
    const answer = new Promise<Told>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method }));
    const { result, error } = await answer;
    waiting.delete(id);
    if (result === undefined) throw new Error(`${method}: ${error?.message ?? 'no answer'}`);
    return result;
  };
  return {
    used: async () => {
      // What a finaliser of the first one lets go of, the second one collects.
      for (let times = 0; times < 2; times += 1) await ask('HeapProfiler.collectGarbage');
      return (await ask('Runtime.getHeapUsage')).usedSize ?? 0;
    },
    close: () => socket.close(),
  };
}
