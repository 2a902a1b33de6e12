// What ends a connection by itself: silence, idleness, age.

import type { WebSocket } from 'ws';

import { tooOldFrame } from './frames';

export interface Ages {
  /** How long a connection may have nothing to do. */
  idleMs: number;
  maxAgeMs: number;
}

/** How long a client may take to answer the end of the connection. */
export const CLOSE_MS = 2_000;
/** Pings without any sign of the client after which it counts as gone. */
const SILENT_PINGS = 2;

export const CLOSE = {
  normal: 1000,
  policyViolation: 1008,
  tooBig: 1009,
  serviceRestart: 1012,
  tryAgainLater: 1013,
} as const;

/** Closes a connection whose client is gone. A slow client still takes frames, so it stays. */
export function watchClient(ws: WebSocket, pingMs: number, onControl: (bytes: number) => void) {
  let silent = 0;
  const pinging = setInterval(() => {
    silent += 1;
    if (silent > SILENT_PINGS) ws.terminate();
    else ws.ping(undefined, undefined, () => undefined);
  }, pingMs);
  const seen = (): void => {
    silent = 0;
  };
  ws.on('ping', (data) => onControl(data.length));
  ws.on('pong', (data) => {
    onControl(data.length);
    seen();
  });
  return { seen, stop: () => clearInterval(pinging) };
}

/** Ends a connection that has nothing to do for long, or is old, but never while a response runs. */
export function watchAge(ws: WebSocket, { idleMs, maxAgeMs }: Ages) {
  const endOfIdleness = (): void => ws.close(CLOSE.normal, 'idle timeout');
  const endOfAge = (): void => {
    ws.send(tooOldFrame(maxAgeMs), () => undefined);
    ws.close(CLOSE.normal, 'the connection is too old');
  };
  let busy = false;
  let old = false;
  let idling = setTimeout(endOfIdleness, idleMs);
  const aging = setTimeout(() => {
    old = true;
    if (!busy) endOfAge();
  }, maxAgeMs);
  return {
    busy: () => {
      busy = true;
      clearTimeout(idling);
    },
    idle: () => {
      busy = false;
      if (ws.readyState !== ws.OPEN) return;
      if (old) endOfAge();
      else idling = setTimeout(endOfIdleness, idleMs);
    },
    stop: () => {
      clearTimeout(idling);
      clearTimeout(aging);
    },
  };
}
