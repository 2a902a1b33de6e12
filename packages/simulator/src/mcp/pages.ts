// Paged lists. A cursor encodes the index of the page's first item; base64 keeps clients from computing it.

import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

export interface Page<T> {
  items: readonly T[];
  nextCursor?: string;
}

/** The page at the cursor, or the first page. The list is split into `pages` pages of equal size. */
export function pageOf<T>(items: readonly T[], pages: number, cursor: string | undefined): Page<T> {
  const size = Math.max(1, Math.ceil(items.length / Math.max(1, pages)));
  const start = cursor === undefined ? 0 : placeOf(cursor);
  if (start === undefined || start >= items.length)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'The cursor does not belong to this list.',
    );
  const end = start + size;
  const page = { items: items.slice(start, end) };
  return end < items.length ? { ...page, nextCursor: cursorOf(end) } : page;
}

function cursorOf(place: number): string {
  return Buffer.from(`at:${String(place)}`).toString('base64url');
}

function placeOf(cursor: string): number | undefined {
  const digits = /^at:(\d{1,6})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1];
  return digits === undefined ? undefined : Number(digits);
}
