// How long a server may say nothing about a request. The edge has the same limit and is the first to
// answer its client; this one ends the request at the server, and frees its place here.
export interface SilenceWatch<K> {
  /** The server has been given the request, or has said something about it. */
  readonly heard: (request: K) => void;
  readonly forget: (request: K) => void;
  readonly stop: () => void;
}

/** The edge's answer comes first. */
const LATER_MS = 5_000;

export function createSilenceWatch<K>(
  limitMs: number,
  silent: (request: K) => void,
): SilenceWatch<K> {
  const timers = new Map<K, NodeJS.Timeout>();
  const forget = (request: K): void => {
    clearTimeout(timers.get(request));
    timers.delete(request);
  };
  return {
    heard: (request) => {
      const timer = timers.get(request);
      if (timer) return void timer.refresh();
      timers.set(
        request,
        setTimeout(() => {
          timers.delete(request);
          silent(request);
        }, limitMs + LATER_MS),
      );
    },
    forget,
    stop: () => {
      for (const request of timers.keys()) forget(request);
    },
  };
}
