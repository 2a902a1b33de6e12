// Many askers, one call: while a call for a key runs, everybody else who asks for that key waits
// for its answer. Nothing is kept once it has answered, failures included.
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

// A call that throws before its first await fails like one that rejects.
async function start<T>(call: () => Promise<T>): Promise<T> {
  return call();
}
