// Counts the bytes of a message while they arrive, so that half a message is in the memory budget as half a
// request body is.

import type { Duplex } from 'node:stream';
import type { GatewayError } from '@tollgate/contracts';

import { bodyTooLarge, OPEN_BYTES, takeRoom, type ByteLease } from '../intake';

export interface MessageBytes {
  /** The lease of a message that has arrived whole. @throws GatewayError `overloaded` */
  complete: (bytes: number) => ByteLease;
  /** A control frame has arrived, which is part of no message. */
  control: (bytes: number) => void;
  /** A message that has arrived whole is dropped. */
  skip: () => void;
  release: () => void;
}

export interface MessageBytesOptions {
  limitBytes: number;
  open: () => ByteLease;
  /** The message is too large, or there is no room for it. Called once. */
  onExcess: (error: GatewayError) => void;
  /** Not all of a message has arrived in the time that a request has. */
  onLate: () => void;
}

/** As long as all of a request over HTTP may take to arrive. */
const ARRIVAL_MS = 120_000;

/** Frame headers, and the start of the next message. */
const SLACK_BYTES = OPEN_BYTES;
const CONTROL_HEADER_BYTES = 6;

export function countMessageBytes(
  socket: Duplex,
  { limitBytes, open, onExcess, onLate }: MessageBytesOptions,
): MessageBytes {
  let bytes = 0;
  let lease: ByteLease | undefined;
  let over = false;
  let arrival: NodeJS.Timeout | undefined;
  const arrived = (): void => {
    clearTimeout(arrival);
    arrival = undefined;
  };

  const count = (chunk: Buffer): void => {
    if (over) return;
    bytes += chunk.length;
    arrival ??= setTimeout(onLate, ARRIVAL_MS).unref();
    if (bytes <= OPEN_BYTES) return;
    try {
      if (bytes > limitBytes + SLACK_BYTES) throw bodyTooLarge(limitBytes);
      const more = lease ? chunk.length : bytes;
      takeRoom((lease ??= open()), more);
    } catch (error) {
      over = true;
      socket.pause();
      onExcess(error as GatewayError);
    }
  };
  // Before the frames are read, so that the bytes of a message are counted when it is complete.
  socket.prependListener('data', count);

  return {
    complete: (length) => {
      arrived();
      const taken = lease ?? open();
      const counted = lease ? bytes : 0;
      lease = undefined;
      bytes = 0;
      if (counted > length) taken.give(counted - length);
      if (counted >= length) return taken;
      try {
        takeRoom(taken, length - counted);
      } catch (error) {
        taken.release();
        throw error;
      }
      return taken;
    },
    control: (length) => {
      const counted = Math.min(bytes, length + CONTROL_HEADER_BYTES);
      bytes -= counted;
      if (bytes === 0) arrived();
      lease?.give(counted);
    },
    skip: () => {
      arrived();
      lease?.release();
      lease = undefined;
      bytes = 0;
    },
    release: () => {
      over = true;
      arrived();
      socket.removeListener('data', count);
      lease?.release();
    },
  };
}
