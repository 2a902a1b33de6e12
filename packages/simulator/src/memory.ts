// What the simulator remembers from one request to the next. All of it has a bound: the oldest is
// forgotten first.

import type { JsonObject } from './json';

export interface Recall<T> {
  get(key: string): T | undefined;
  set(key: string, value: T, bytes?: number): void;
  delete(key: string): void;
  clear(): void;
}

/** Remembers the latest, up to so many entries and, if sizes are given, so many bytes. */
export function createRecall<T>(max: { entries: number; bytes?: number }): Recall<T> {
  const entries = new Map<string, { value: T; bytes: number }>();
  let total = 0;
  const drop = (key: string): void => {
    total -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  return {
    get: (key) => entries.get(key)?.value,
    set(key, value, bytes = 0) {
      drop(key);
      entries.set(key, { value, bytes });
      total += bytes;
      for (const oldest of entries.keys()) {
        if (entries.size <= max.entries && total <= (max.bytes ?? Infinity)) break;
        drop(oldest);
      }
    },
    delete: drop,
    clear() {
      entries.clear();
      total = 0;
    },
  };
}

export interface StoredResponse {
  /** The conversation up to its answer. */
  items: JsonObject[];
  /** What its own request brought, with ids. */
  input: JsonObject[];
  background: boolean;
  /** It was made as a stream that can be taken up again. */
  streams: boolean;
  now(): JsonObject;
  /** As now, one step of its work later. */
  look(): JsonObject;
  cancel(): JsonObject;
  /** All events of its stream, which completes it. */
  replay(): string[];
}

export interface StoredConversation {
  id: string;
  createdAtS: number;
  metadata: JsonObject;
  /** In the order in which they were said, each with an id. */
  items: JsonObject[];
}

export interface Memory {
  /** Failures so far of requests that are to fail at first, by key and model. */
  failures: Recall<number>;
  /** Stored responses, by key and response id. */
  responses: Recall<StoredResponse>;
  /** By key and conversation id. */
  conversations: Recall<StoredConversation>;
  /** Beginnings of prompts that were written to the cache, by their hash. */
  prefixes: Recall<true>;
  /** Texts of token ids that were given out. */
  vocabulary: Recall<string>;
}

export function createMemory(): Memory {
  return {
    failures: createRecall({ entries: 10_000 }),
    responses: createRecall({ entries: 1_000, bytes: 64 * 1024 * 1024 }),
    conversations: createRecall({ entries: 1_000, bytes: 64 * 1024 * 1024 }),
    prefixes: createRecall({ entries: 10_000 }),
    vocabulary: createRecall({ entries: 200_000 }),
  };
}
