// Rendezvous hashing: each key has its own order of the same items, so that every process sends the
// requests of one conversation to the same place without asking anybody. An item that comes or goes
// moves only the keys that it wins or had.

import type { RoutingStrategy } from './enums';

/**
 * Strategies that remember where a conversation was moved to: those with a place for each conversation. The other
 * strategies have one order for all requests.
 */
export const REMEMBERS_MOVES: ReadonlySet<string> = new Set<RoutingStrategy>([
  'round_robin',
  'weighted',
  'lowest_latency',
]);

/** Bytes of a key: two numbers of 32 bits. */
export const AFFINITY_BYTES = 8;

/** The hash of an item's name, kept where the item is read. */
export function itemHash(name: string): number {
  // FNV-1a.
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

/**
 * How much a key prefers an item: the item with the highest score is first. Over many keys, each item
 * is first as often as its weight says.
 */
export function affinityScore(key: Uint8Array, hash: number, weight: number): number {
  const low = wordAt(key, 0);
  const high = wordAt(key, 4);
  const first = mixed(low ^ hash);
  const second = mixed(high ^ first ^ 0x9e3779b9);
  // Strictly between 0 and 1, of 53 bits.
  const chance = (first * 0x200000 + (second >>> 11) + 0.5) / 0x20000000000000;
  return weight / -Math.log(chance);
}

function wordAt(bytes: Uint8Array, at: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at, at + 4);
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
}

/** The finaliser of MurmurHash3: each bit of the input changes half of the output's. */
function mixed(word: number): number {
  let hash = word;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
