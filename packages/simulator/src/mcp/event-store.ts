// The events of one session's streams, so that a client can resume a stream by Last-Event-ID.

import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

interface StoredEvent {
  id: string;
  size: number;
  streamId: string;
  message: JSONRPCMessage;
}

/** Limits of events kept per session, and of their JSON together; the oldest are dropped. */
const MAX_EVENTS = 1_000;
const MAX_CHARACTERS = 16 * 1024 * 1024;

export function createEventStore(): EventStore {
  let number = 0;
  let characters = 0;
  const events: StoredEvent[] = [];

  return {
    storeEvent(streamId, message) {
      number += 1;
      const id = `${streamId}/${String(number)}`;
      const size = JSON.stringify(message).length;
      events.push({ id, size, streamId, message });
      characters += size;
      while (events.length > MAX_EVENTS || (characters > MAX_CHARACTERS && events.length > 1))
        characters -= events.shift()?.size ?? 0;
      return Promise.resolve(id);
    },
    // Without getStreamIdForEventId a new stream replaces the one it resumes. With it the SDK answers
    // 409 until it has noticed that the old connection is gone.
    async replayEventsAfter(lastEventId, { send }) {
      const [streamId = '', last = ''] = splitLast(lastEventId);
      for (const event of events.filter((event) => event.streamId === streamId)) {
        const isLater = Number(splitLast(event.id)[1]) > Number(last);
        // The event that opens a stream has no message.
        if (isLater && Object.keys(event.message).length > 0) await send(event.id, event.message);
      }
      return streamId;
    },
  };
}

function splitLast(id: string): string[] {
  const slash = id.lastIndexOf('/');
  return [id.slice(0, slash), id.slice(slash + 1)];
}
