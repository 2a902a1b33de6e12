// Concurrent calls for a key share one result. Nothing is cached after it settles, failures
// included.
export type SingleFlight<T> = (key: string, call: () => Promise<T>) => Promise<T>;

export function singleFlight<T>(): SingleFlight<T> {
  const running = new Map<string, Promise<T>>();

  return (key, call) => {
    const joined = running.get(key);
    if (joined) return joined;
    const flight = start(call).finally(() => {
      if (running.get(key) === flight) running.delete(key);
    });
    running.set(key, flight);
    return flight;
  };
}

// Turns a synchronous throw into a rejection.
async function start<T>(call: () => Promise<T>): Promise<T> {
  return call();
}
