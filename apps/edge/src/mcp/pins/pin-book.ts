// Remembers for a short time how servers define their pinned tools. Kept are digests, not verdicts, so a
// new pin counts at once.

import { canonicalDigest, type McpToolPin__Output } from '@tollgate/contracts/node';

import { readAllTools, type AskTools } from './read-tools';

export interface PinnedServer {
  readonly serverId: string;
  /** Of its connection. */
  readonly version: number;
}

/** UNKNOWN: the server's definition was not seen for a while. */
export type PinVerdict = 'UNPINNED' | 'MATCH' | 'CHANGED' | 'UNKNOWN';

type Pins = readonly McpToolPin__Output[];

export interface PinBook {
  /** Begins a list that the server sends, or one page of it. */
  openListing: (server: PinnedServer, pins: Pins) => PinListing;
  check: (server: PinnedServer, pins: Pins, tool: string) => PinVerdict;
  /**
   * The same, but reads the server's list if that is needed to know. Concurrent callers share one reading.
   * @throws UpstreamFailure when the list cannot be read; whatever `ask` rejects with
   */
  verify: (
    server: PinnedServer,
    pins: Pins,
    tool: string,
    ask: AskTools,
  ) => Promise<Exclude<PinVerdict, 'UNKNOWN'>>;
}

export interface PinListing {
  /** Notes how the server defines a tool. */
  see: (tool: string, definition: unknown) => Exclude<PinVerdict, 'UNKNOWN'>;
  /** All pages were seen: pinned tools that were on none of them have no definition any more. */
  complete: () => void;
}

interface Seen {
  /** Undefined: the tool is gone, or is defined twice in different ways. */
  readonly sha256: Buffer | undefined;
  readonly atMs: number;
}

/** How long a definition is believed. */
const FRESH_MS = 60_000;
/** Limits of what is remembered; what was noted first is forgotten, and read again if it is needed. */
const SERVERS_MOST = 4_096;
/** More than a server can have pins. */
const TOOLS_MOST = 1_024;

export function createPinBook({ nowMs }: { nowMs: () => number }): PinBook {
  const seenOf = new Map<string, Map<string, Seen>>();
  const readings = new Map<string, Promise<void>>();

  const note = (server: PinnedServer, tool: string, sha256: Buffer | undefined): void => {
    const key = keyOf(server);
    const tools = seenOf.get(key) ?? new Map<string, Seen>();
    if (tools.size === 0) {
      makeRoom(seenOf, SERVERS_MOST);
      seenOf.set(key, tools);
    }
    tools.delete(tool);
    makeRoom(tools, TOOLS_MOST);
    tools.set(tool, { sha256, atMs: nowMs() });
  };

  const openListing: PinBook['openListing'] = (server, pins) => {
    const listed = new Map<string, Buffer | undefined>();
    return {
      see: (tool, definition) => {
        const pin = pinOf(pins, tool);
        if (!pin) return 'UNPINNED';
        const digest = digestOf(definition);
        const isContradicted = listed.has(tool) && !isSame(listed.get(tool), digest);
        const sha256 = isContradicted ? undefined : digest;
        listed.set(tool, sha256);
        note(server, tool, sha256);
        return isSame(sha256, pin.sha256) ? 'MATCH' : 'CHANGED';
      },
      complete: () => {
        for (const { tool } of pins) if (!listed.has(tool)) note(server, tool, undefined);
      },
    };
  };

  const check: PinBook['check'] = (server, pins, tool) => {
    const pin = pinOf(pins, tool);
    if (!pin) return 'UNPINNED';
    const seen = seenOf.get(keyOf(server))?.get(tool);
    if (!seen || nowMs() - seen.atMs > FRESH_MS) return 'UNKNOWN';
    return isSame(seen.sha256, pin.sha256) ? 'MATCH' : 'CHANGED';
  };

  const read = async (server: PinnedServer, pins: Pins, ask: AskTools): Promise<void> => {
    const listing = openListing(server, pins);
    await readAllTools(ask, { visit: (tool, definition) => listing.see(tool, definition), nowMs });
    listing.complete();
  };

  const verify: PinBook['verify'] = async (server, pins, tool, ask) => {
    const known = check(server, pins, tool);
    if (known !== 'UNKNOWN') return known;
    const key = keyOf(server);
    const joined = readings.get(key);
    // A reading that fails in the session of another client says nothing about this client's.
    const hasRead = joined !== undefined && (await joined.then(yes, no));
    const learnt = hasRead ? check(server, pins, tool) : 'UNKNOWN';
    if (learnt !== 'UNKNOWN') return learnt;
    const reading = read(server, pins, ask);
    readings.set(key, reading);
    try {
      await reading;
    } finally {
      if (readings.get(key) === reading) readings.delete(key);
    }
    const verdict = check(server, pins, tool);
    return verdict === 'UNKNOWN' ? 'CHANGED' : verdict;
  };

  return { openListing, check, verify };
}

function keyOf({ serverId, version }: PinnedServer): string {
  return `${serverId}:${version}`;
}

const yes = (): boolean => true;
const no = (): boolean => false;

function pinOf(pins: Pins, tool: string): McpToolPin__Output | undefined {
  return pins.find((pin) => pin.tool === tool);
}

/** Undefined: it is nested too deeply for a canonical form, so it is no definition that was pinned. */
function digestOf(definition: unknown): Buffer | undefined {
  try {
    return canonicalDigest(definition);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function isSame(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a !== undefined && b !== undefined && a.equals(b);
}

function makeRoom(map: Map<string, unknown>, most: number): void {
  if (map.size < most) return;
  const [first] = map.keys();
  if (first !== undefined) map.delete(first);
}
