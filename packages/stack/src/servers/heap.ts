import { readFile } from 'node:fs/promises';

/** Environment of a Node process whose inspector `openHeap` can find. */
export const WITH_INSPECTOR = { NODE_OPTIONS: '--inspect=127.0.0.1:0' } as const;

export interface Heap {
  /** Memory in use after a full collection. */
  readonly used: () => Promise<HeapUse>;
  readonly close: () => void;
}

/** In bytes. */
export interface HeapUse {
  /** V8's heap, including code. */
  readonly heap: number;
  /** The compiled code in it. */
  readonly code: number;
  /** Outside the heap: buffers, and native memory of objects. */
  readonly external: number;
}

interface Told {
  readonly id?: number;
  readonly result?: { readonly result?: { readonly value?: string } };
  readonly error?: { readonly message: string };
}

/** Runs in the process itself; the inspector's own figures have no spaces. */
const HEAP_USE = `JSON.stringify({
  spaces: process.getBuiltinModule('node:v8').getHeapSpaceStatistics(),
  external: process.memoryUsage().external,
})`;
/** Spaces with machine code and bytecode. */
const CODE = new Set(['code_space', 'code_large_object_space', 'trusted_space']);

function useOf(text: string): HeapUse {
  const { spaces, external } = JSON.parse(text) as {
    spaces: { space_name: string; space_used_size: number }[];
    external: number;
  };
  const sum = (some: typeof spaces): number =>
    some.reduce((bytes, { space_used_size: used }) => bytes + used, 0);
  return {
    heap: sum(spaces),
    code: sum(spaces.filter(({ space_name: name }) => CODE.has(name))),
    external,
  };
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
  const ask = async (method: string, params = {}): Promise<NonNullable<Told['result']>> => {
    asked += 1;
    const id = asked;
    const answer = new Promise<Told>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await answer;
    waiting.delete(id);
    if (result === undefined) throw new Error(`${method}: ${error?.message ?? 'no answer'}`);
    return result;
  };
  return {
    used: async () => {
      // The second collection frees what finalisers of the first one released.
      for (let times = 0; times < 2; times += 1) await ask('HeapProfiler.collectGarbage');
      const { result } = await ask('Runtime.evaluate', { expression: HEAP_USE });
      if (result?.value === undefined) throw new Error(`${url} does not tell its heap's use`);
      return useOf(result.value);
    },
    close: () => socket.close(),
  };
}
