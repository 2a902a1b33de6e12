// The simulator's state across requests. All of it is bounded: the oldest entry is evicted first.

import type { JsonObject } from './json';

export interface Recall<T> {
  get(key: string): T | undefined;
  set(key: string, value: T, bytes?: number): void;
  delete(key: string): void;
  clear(): void;
}

/** Keeps the latest entries, limited by number and, if sizes are given, by bytes. */
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
  /** The input of its own request, with ids. */
  input: JsonObject[];
  background: boolean;
  /** It was created as a stream that can be resumed. */
  streams: boolean;
  now(): JsonObject;
  /** Its current state; each call advances the work by one step. */
  look(): JsonObject;
  cancel(): JsonObject;
  /** All events of its stream, which completes it. */
  replay(): string[];
}

export interface StoredConversation {
  id: string;
  createdAtS: number;
  metadata: JsonObject;
  /** In order, each with an id. */
  items: JsonObject[];
}

export interface Memory {
  /** The number of failures so far of requests that fail at first, by key and model. */
  failures: Recall<number>;
  /** Stored responses, by key and response id. */
  responses: Recall<StoredResponse>;
  /** Output items of stored responses, by key and item id. */
  items: Recall<JsonObject>;
  /** By key and conversation id. */
  conversations: Recall<StoredConversation>;
  /** Prompt prefixes in the cache: when each ends, in Unix seconds, by its hash. */
  prefixes: Recall<number>;
  /** The texts of issued token ids. */
  vocabulary: Recall<string>;
}

export function createMemory(): Memory {
  return {
    failures: createRecall({ entries: 10_000 }),
    responses: createRecall({ entries: 1_000, bytes: 64 * 1024 * 1024 }),
    items: createRecall({ entries: 10_000, bytes: 64 * 1024 * 1024 }),
    conversations: createRecall({ entries: 1_000, bytes: 64 * 1024 * 1024 }),
    prefixes: createRecall({ entries: 500_000 }),
    vocabulary: createRecall({ entries: 200_000 }),
  };
}
