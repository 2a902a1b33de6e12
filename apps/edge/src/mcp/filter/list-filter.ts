// Filters an answer while its bytes arrive. A JSON document is kept whole until its end; of a stream only
// the event that is arriving is kept.

import { gatewayError, restricts } from '@tollgate/contracts';

import { createEventSplitter, MAX_EVENT_BYTES, type RawEvent } from '../../formats/sse';
import { UpstreamFailure } from '../../upstream/failure';
import { filterDocument, type DocumentRules } from './filter-document';
import { filterEvent } from './filter-event';
import { LISTS } from './lists';

export interface ListFilter {
  /**
   * Takes bytes of the answer and returns those that can be passed on.
   * @throws UpstreamFailure when the answer cannot be filtered; nothing of it may be passed on then
   */
  push: (chunk: Buffer) => Buffer[];
  /**
   * The answer is complete: returns the rest.
   * @throws UpstreamFailure as `push`
   */
  finish: () => Buffer[];
}

export interface ListFilterOptions extends DocumentRules {
  /** Of the answer. What is no event stream is one JSON document. */
  readonly contentType: string;
}

/** Limit of one list: of the JSON document, or of one event. */
export const LIST_BYTES = 4 * 1024 * 1024;

/**
 * The answer's length may change, so a `content-length` of the upstream must not be passed on. Answers
 * that have no list, such as an HTML page with the status of an error, must not come here.
 */
export function createListFilter(options: ListFilterOptions): ListFilter {
  const { admitTool, contentType, method, rules } = options;
  const shapes = LISTS.filter((shape) => method === undefined || shape.method === method);
  const isNeeded =
    shapes.some((shape) => restricts(rules, shape.rules)) ||
    (admitTool !== undefined && shapes.some(({ field }) => field === 'tools'));
  if (!isNeeded) return { push: (chunk) => [chunk], finish: () => [] };
  // Clients look for this text anywhere in the header.
  return contentType.toLowerCase().includes('text/event-stream')
    ? createStreamFilter(options)
    : createDocumentFilter(options);
}

function createDocumentFilter(rules: DocumentRules): ListFilter {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return {
    push: (chunk) => {
      bytes += chunk.length;
      if (bytes > LIST_BYTES) {
        chunks.length = 0;
        throw tooLong(LIST_BYTES);
      }
      chunks.push(chunk);
      return [];
    },
    finish: () => {
      const document = Buffer.concat(chunks);
      const filtered = filterDocument(document, rules);
      return filtered === undefined ? chunks : [Buffer.from(filtered)];
    },
  };
}

function createStreamFilter(rules: DocumentRules): ListFilter {
  // A stream that replays earlier answers may have results of tools, which are larger than lists.
  const mostBytes = rules.method === undefined ? MAX_EVENT_BYTES : LIST_BYTES;
  const splitter = createEventSplitter(mostBytes);
  return {
    push: (chunk) => {
      const passed: Buffer[] = [];
      try {
        splitter.push(chunk, (event) => {
          passed.push(filtered(event, rules));
          return true;
        });
      } catch (error) {
        if (error instanceof RangeError) throw tooLong(mostBytes);
        throw error;
      }
      return passed;
    },
    // Some clients read an event whose blank line is missing.
    finish: () => {
      const source = splitter.rest();
      if (source.length === 0) return [];
      const latin1 = source.toString('latin1');
      return [filtered({ source, start: 0, end: source.length, latin1 }, rules)];
    },
  };
}

function filtered({ source, start, end, latin1 }: RawEvent, rules: DocumentRules): Buffer {
  const bytes = source.subarray(start, end);
  return filterEvent(bytes, latin1, rules) ?? bytes;
}

function tooLong(mostBytes: number): UpstreamFailure {
  const text = `The MCP server's list cannot be filtered for this API key: it has more than ${mostBytes} bytes.`;
  return new UpstreamFailure('TOO_LARGE', gatewayError('upstream_error', text), { own: true });
}
