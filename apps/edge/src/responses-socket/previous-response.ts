// What a connection remembers of its last response, so that a response that no provider stores can be
// continued: all items before it, and its own. The provider gets them again as ordinary input.

import { gatewayError, type GatewayError } from '@tollgate/contracts';

import type { JsonObject } from '../formats';
import { isObject } from '../formats/json';
import type { ByteLease } from '../intake';

export interface PreviousResponse {
  /**
   * The items to put before the input of a message that continues response `id`. Undefined: the connection
   * remembers another response, or none.
   */
  itemsOf: (id: string) => readonly unknown[] | undefined;
  /** Bytes of these items. */
  bytes: () => number;
  /** Replaces what is remembered. Without room for it, nothing is. */
  keep: (last: { id: string; items: readonly unknown[]; bytes: number }) => void;
  release: () => void;
}

export function createPreviousResponse(open: () => ByteLease): PreviousResponse {
  let last: { id: string; items: readonly unknown[]; bytes: number } | undefined;
  let lease: ByteLease | undefined;
  const release = (): void => {
    last = undefined;
    lease?.release();
    lease = undefined;
  };
  return {
    itemsOf: (id) => (last?.id === id ? last.items : undefined),
    bytes: () => last?.bytes ?? 0,
    keep: (next) => {
      release();
      lease = open();
      if (lease.take(next.bytes)) last = next;
      else release();
    },
    release,
  };
}

/** The input of a message as items. Undefined: it is neither a text nor a list. */
export function inputItems(input: unknown): readonly unknown[] | undefined {
  if (Array.isArray(input)) return input as unknown[];
  if (input === undefined || input === null) return [];
  return typeof input === 'string'
    ? [{ type: 'message', role: 'user', content: input }]
    : undefined;
}

/** Their bytes as JSON. */
export function sizeOf(items: readonly unknown[]): number {
  return items.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(items));
}

/** The output of a response as items that a provider accepts again. */
export function outputItems(response: JsonObject): readonly unknown[] {
  const { output } = response;
  return Array.isArray(output) ? (output as unknown[]).filter(isReplayable) : [];
}

/** The provider keeps no reasoning of a response that it does not store; only sealed reasoning comes with it. */
function isReplayable(item: unknown): boolean {
  if (!isObject(item) || item['type'] !== 'reasoning') return true;
  return typeof item['encrypted_content'] === 'string' && item['encrypted_content'] !== '';
}

/** The refusal if the remembered items and the message exceed the limit of one body. */
export function tooLargeError(bytes: number, limitBytes: number): GatewayError | undefined {
  if (bytes <= limitBytes) return undefined;
  const text = `The response that this one continues, and the message, are together larger than ${limitBytes} bytes.`;
  return gatewayError('invalid_request', text, { param: 'input', details: { limitBytes } });
}
