// Which session takes an item.
import type { Item } from './item';
import type { Session } from './session';

/** Sessions that accept items, and where the last item went. */
export interface Ring {
  ring: Session[];
  turn: number;
  /** The frame that questions fill; items with a session of their own fill other frames. */
  current: Session | undefined;
  frame: number;
}

// Items of one turn of the event loop share a session, and so a frame.
export function place(pool: Ring, item: Item): boolean {
  const { via } = item;
  if (via && (via.send(item) || placeAt(pool, item, via.process()))) return true;
  const avoid = (via && item.strayed?.()) ?? item.avoid;
  if (avoid && placeAway(pool, item, avoid)) return true;
  const { current, frame } = pool;
  if (frame !== 0 && current?.filling() === frame && current.send(item)) return true;
  for (let tried = 0; tried < pool.ring.length; tried += 1) {
    pool.turn = (pool.turn + 1) % pool.ring.length;
    const next = pool.ring[pool.turn];
    if (next && (takes(pool, leadOf(pool, next), item) || takes(pool, pool.turn, item)))
      return true;
  }
  return false;
}

// All questions to one process go over one session, so that they share frames with the settles of the
// holds that it decided from floats. The others of that process take over when it is full or gone.
function leadOf({ ring, turn }: Ring, next: Session): number {
  const process = next.process();
  return process === '' ? turn : ring.findIndex((session) => session.process() === process);
}

function takes(pool: Ring, at: number, item: Item): boolean {
  const session = pool.ring[at];
  if (!session?.send(item)) return false;
  pool.current = session;
  pool.frame = session.filling();
  return true;
}

// The memory that decided a hold finds it whichever session asks.
function placeAt({ ring }: Ring, item: Item, process: string): boolean {
  return process !== '' && ring.some((other) => other.process() === process && other.send(item));
}

// Starts where the last item went, so that items of one turn share a frame here too.
function placeAway(pool: Ring, item: Item, process: string): boolean {
  const { ring, turn } = pool;
  for (let tried = 0; tried < ring.length; tried += 1) {
    const at = (turn + tried) % ring.length;
    const session = ring[at];
    if (!session || session.process() === process || !session.send(item)) continue;
    pool.turn = at;
    return true;
  }
  return false;
}
