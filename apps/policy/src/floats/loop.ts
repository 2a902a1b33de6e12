import type { Floats } from './floats';

// Drives the memory in time: one round every `everyMs` while anything is due, none while it is idle.

export interface PostLoop {
  /** Something was asked of the memory. */
  readonly wake: () => void;
  /** Gives everything back, as far as the time allows. */
  readonly stop: (options: { withinMs: number }) => Promise<void>;
}

export function createPostLoop(
  floats: Pick<Floats, 'busy' | 'drain' | 'idle' | 'tick'>,
  everyMs: number,
): PostLoop {
  let timer: NodeJS.Timeout | undefined;
  const wake = (): void => {
    timer ??= setTimeout(round, everyMs);
  };
  const round = (): void => {
    timer = undefined;
    floats.tick();
    if (!floats.idle) wake();
  };
  return {
    wake,
    stop: async ({ withinMs }) => {
      floats.drain();
      const untilMs = performance.now() + withinMs;
      while (floats.busy && performance.now() < untilMs) {
        wake();
        await new Promise((resolve) => setTimeout(resolve, everyMs));
      }
      clearTimeout(timer);
    },
  };
}
