/** Memory for an answer while it is recorded; false: there is none. */
export type TakeRoom = (bytes: number) => boolean;

/** Copies an answer as it goes to the client. */
export interface ResponseRecorder {
  /** Parts of a stream, in order. */
  readonly keep: (parts: readonly Buffer[]) => void;
  /** An answer that is no stream. */
  readonly keepWhole: (payload: Buffer | string) => void;
  /** Undefined: it was larger than is kept, or there was no room for it. */
  readonly body: () => Buffer | undefined;
}

/** `most`: larger answers are not kept. */
export function createRecorder(most: number, take: TakeRoom): ResponseRecorder {
  let parts: Buffer[] | undefined = [];
  let bytes = 0;
  const keep = (part: Buffer): void => {
    if (parts === undefined) return;
    bytes += part.length;
    if (bytes > most || !take(part.length)) {
      parts = undefined;
      return;
    }
    // A copy: the part may be a view of a much larger chunk.
    parts.push(Buffer.from(part));
  };
  return {
    keep: (given) => {
      for (const part of given) keep(part);
    },
    keepWhole: (payload) => keep(Buffer.isBuffer(payload) ? payload : Buffer.from(payload)),
    body: () => (parts === undefined ? undefined : Buffer.concat(parts)),
  };
}
