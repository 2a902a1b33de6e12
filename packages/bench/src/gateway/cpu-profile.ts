// Where the CPU time of a running process goes, by V8's sampling profiler, which is asked over the inspector's
// protocol (https://chromedevtools.github.io/devtools-protocol/v8/Profiler/).

import { once } from 'node:events';
import { WebSocket } from 'undici';

/** As the profiler tells it, as far as it is used. Times in microseconds. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** The node that each sample was taken in. */
  readonly samples: readonly number[];
  /** How long after the one before. */
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

/** Profiles the event loop of a process whose inspector listens on `port`, while `run` runs. */
export async function profileDuring(
  port: number,
  run: () => Promise<unknown>,
): Promise<CpuProfile> {
  const list = await fetch(`http://127.0.0.1:${String(port)}/json/list`);
  const [target] = (await list.json()) as { webSocketDebuggerUrl: string }[];
  if (!target) throw new Error('the inspector has no target');
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await once(socket, 'open');
  try {
    await ask(socket, 'Profiler.enable');
    await ask(socket, 'Profiler.start');
    await run();
    return (await ask<{ profile: CpuProfile }>(socket, 'Profiler.stop')).profile;
  } finally {
    socket.close();
  }
}

interface Answer<Result> {
  readonly result?: Result;
  readonly error?: { readonly message: string };
}

/** One question at a time, so that whatever comes next is its answer. */
async function ask<Result>(socket: WebSocket, method: string): Promise<Result> {
  const answered = once(socket, 'message') as Promise<[{ data: string }]>;
  socket.send(JSON.stringify({ id: 1, method }));
  const [{ data }] = await answered;
  const { error, result } = JSON.parse(data) as Answer<Result>;
  if (!result) throw new Error(`${method}: ${error?.message ?? 'no result'}`);
  return result;
}

/**
 * The parts, from 0 to 1, of the time in which the event loop works that are spent in these files or called by them, by
 * the function in them that was called first.
 */
export function partsOf(
  profile: CpuProfile,
  isIn: (url: string) => boolean,
): ReadonlyMap<string, number> {
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const spent = new Map<number, number>();
  profile.samples.forEach((id, at) => {
    spent.set(id, (spent.get(id) ?? 0) + (profile.timeDeltas[at] ?? 0));
  });
  let all = 0;
  const within = new Map<string, number>();
  const pending: [ProfileNode | undefined, string | undefined][] = [[profile.nodes[0], undefined]];
  for (const [node, first] of pending) {
    if (!node || node.callFrame.functionName === '(idle)') continue;
    const { functionName, url } = node.callFrame;
    const caller = first ?? (isIn(url) ? functionName : undefined);
    const us = spent.get(node.id) ?? 0;
    all += us;
    if (caller !== undefined) within.set(caller, (within.get(caller) ?? 0) + us);
    for (const child of node.children ?? []) pending.push([byId.get(child), caller]);
  }
  return new Map([...within].map(([name, us]) => [name, us / all]));
}
