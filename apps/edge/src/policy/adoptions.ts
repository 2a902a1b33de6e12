// Holds that another policy process must take over, because the one that decided them from a float has
// gone, cannot report them any more, or has no room for their items.

export interface Adoptions<T> {
  add: (holds: Iterable<T>) => void;
  stop: () => void;
}

export interface AdoptionsDeps<T> {
  /** The hold has not ended, and no policy has taken it over yet. */
  needed: (hold: T) => boolean;
  /** Asks a policy to take the hold over. False: none did. Never throws. */
  adopt: (hold: T) => Promise<boolean>;
}

/** A frame's worth: more at once would only wait at policy. */
export const ADOPTIONS_AT_ONCE = 128;
/** The pause after a failure. A float is free again 3.5 seconds after its last decision. */
const AGAIN_MS = 100;

export function createAdoptions<T>({ adopt, needed }: AdoptionsDeps<T>): Adoptions<T> {
  const waiting = new Set<T>();
  let running = 0;
  let pause: NodeJS.Timeout | undefined;
  let stopped = false;

  const start = (hold: T): void => {
    running += 1;
    void adopt(hold).then((done) => {
      running -= 1;
      if (!done && needed(hold)) {
        waiting.add(hold);
        pause ??= setTimeout(resume, AGAIN_MS);
      }
      adoptMore();
    });
  };

  const adoptMore = (): void => {
    for (const hold of waiting) {
      if (stopped || pause !== undefined || running >= ADOPTIONS_AT_ONCE) return;
      waiting.delete(hold);
      if (needed(hold)) start(hold);
    }
  };

  const resume = (): void => {
    pause = undefined;
    adoptMore();
  };

  return {
    add: (holds) => {
      for (const hold of holds) waiting.add(hold);
      adoptMore();
    },
    stop: () => {
      stopped = true;
      clearTimeout(pause);
      waiting.clear();
    },
  };
}
