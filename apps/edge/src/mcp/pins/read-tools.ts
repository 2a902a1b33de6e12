// Reads the whole list of a server's tools, page by page.

import { gatewayError } from '@tollgate/contracts';

import { isObject } from '../../formats/json';
import { UpstreamFailure } from '../../upstream/failure';

/**
 * Sends `tools/list` with this cursor (undefined: the first page), and resolves with the `result` of the
 * response, as `JSON.parse` reads it. A page may have as many bytes as the caller allows.
 */
export type AskTools = (cursor: string | undefined) => Promise<unknown>;

export interface ReadToolsOptions {
  /** Called for each entry; the definition is the whole entry. */
  visit: (name: string, definition: unknown) => void;
  /** Monotonic milliseconds. */
  nowMs: () => number;
}

/** Limits of one list. */
const PAGES_MOST = 100;
const TOOLS_MOST = 10_000;
const CURSOR_CHARACTERS = 4_096;
/** After this time no further page is asked for. */
const READING_MS = 15_000;

/** @throws UpstreamFailure when the list cannot be read to its end; whatever `ask` rejects with */
export async function readAllTools(
  ask: AskTools,
  { visit, nowMs }: ReadToolsOptions,
): Promise<void> {
  const untilMs = nowMs() + READING_MS;
  const cursors = new Set<string>();
  let tools = 0;
  let cursor: string | undefined;
  do {
    const page = readPage(await ask(cursor));
    tools += page.tools.length;
    if (tools > TOOLS_MOST) throw unreadable(`has more than ${TOOLS_MOST} tools`);
    for (const { name, definition } of page.tools) visit(name, definition);
    cursor = page.nextCursor;
    if (cursor === undefined) return;
    if (cursors.has(cursor)) throw unreadable('has a page that leads back to an earlier one');
    cursors.add(cursor);
  } while (cursors.size < PAGES_MOST && nowMs() < untilMs);
  throw unreadable(
    cursors.size < PAGES_MOST
      ? `takes more than ${READING_MS} ms`
      : `has more than ${PAGES_MOST} pages`,
  );
}

interface Page {
  tools: { name: string; definition: unknown }[];
  nextCursor: string | undefined;
}

function readPage(result: unknown): Page {
  if (!isObject(result)) throw unreadable('is no result');
  const { tools, nextCursor } = result;
  if (!Array.isArray(tools)) throw unreadable('has no field tools that is a list');
  const isCursor = typeof nextCursor === 'string' && nextCursor.length <= CURSOR_CHARACTERS;
  if (nextCursor !== undefined && nextCursor !== null && !isCursor) {
    throw unreadable(`has a nextCursor that is no text of at most ${CURSOR_CHARACTERS} characters`);
  }
  return {
    tools: tools.flatMap((definition: unknown) => {
      const name = isObject(definition) ? definition['name'] : undefined;
      // A tool without a name cannot be called.
      return typeof name === 'string' ? [{ name, definition }] : [];
    }),
    nextCursor: isCursor ? nextCursor : undefined,
  };
}

function unreadable(problem: string): UpstreamFailure {
  const text = `The pinned tool cannot be compared with the MCP server's list: the list ${problem}.`;
  return new UpstreamFailure('INVALID_RESPONSE', gatewayError('upstream_error', text));
}
