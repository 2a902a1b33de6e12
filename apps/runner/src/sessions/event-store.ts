// The last events of one session's streams, so that a client can resume a stream by Last-Event-ID.

export interface StoredEvent {
  readonly id: string;
  readonly text: string;
}

export interface EventStore {
  readonly store: (stream: number, text: string) => StoredEvent;
  /** The stream of an id, and its later events; undefined: no such id was given out. */
  readonly after: (
    id: string,
  ) => { readonly stream: number; readonly events: readonly StoredEvent[] } | undefined;
}

interface Row extends StoredEvent {
  readonly stream: number;
  readonly number: number;
}

const MAX_EVENTS = 500;
const MAX_CHARACTERS = 2 * 1024 * 1024;

/** An event beyond the limits is sent but not kept, like those that are dropped: the oldest first. */
export function createEventStore(limits = { events: MAX_EVENTS, characters: MAX_CHARACTERS }) {
  const rows: Row[] = [];
  let last = 0;
  let characters = 0;
  const store: EventStore['store'] = (stream, text) => {
    last += 1;
    const row = { id: `${stream}-${last}`, stream, number: last, text };
    rows.push(row);
    characters += text.length;
    while (rows.length > limits.events || characters > limits.characters) {
      characters -= rows.shift()?.text.length ?? 0;
    }
    return row;
  };
  const after: EventStore['after'] = (id) => {
    const [, stream, number] = /^(\d{1,15})-(\d{1,15})$/.exec(id) ?? [];
    if (stream === undefined || number === undefined || Number(number) > last) return undefined;
    const later = rows.filter(
      (row) => row.stream === Number(stream) && row.number > Number(number) && row.text !== '',
    );
    return { stream: Number(stream), events: later };
  };
  const created: EventStore = { store, after };
  return created;
}
