/** Where kept answers are. */
export interface CacheStore {
  /** Undefined: there is none. Rejects if the store cannot say in time. */
  get: (key: string) => Promise<Buffer | undefined>;
  /** Rejects if it is not known to be stored. */
  set: (key: string, entry: Buffer, ttlSeconds: number) => Promise<void>;
  /** Bytes in this process. */
  bytes: () => number;
  stop: () => void;
}
