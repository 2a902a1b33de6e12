import type { BodyLeftOut, rest } from '@tollgate/contracts';

type State = rest.KeptBodies['request'];

const LEFT_OUT: Readonly<Record<BodyLeftOut, string>> = {
  BLOCKED: 'a screening rule blocked the request or its answer',
  DAY_FULL: 'the organisation’s bytes for the day are used up',
  MASKED: 'too many texts were masked in it',
  NONE: 'there was none',
  NOT_TEXT: 'a stream of this kind is not put together',
  QUEUE_FULL: 'queue full',
  TOO_LARGE: 'it is too large',
  UNREADABLE: 'it cannot be read, so it cannot be masked',
};

/** Why there is no body, as a sentence. */
export function missingWords({ leftOut }: State): string {
  return leftOut === null ? 'Not kept.' : `Not kept: ${LEFT_OUT[leftOut]}.`;
}

/** Operations whose bodies are never kept; undefined: they may be. */
export function neverKept(
  record: Pick<rest.UsageRecord, 'mcp' | 'operation' | 'shadowOf'>,
  passthrough: string,
): string | undefined {
  if (record.mcp !== null) return 'Bodies of requests to MCP servers are not kept.';
  if (record.operation === passthrough) return 'Bodies of passthrough requests are not kept.';
  if (record.shadowOf !== null) return 'Bodies of shadows are not kept.';
  return undefined;
}

/** "EMAIL 2, API key 1". */
export function maskedWords(masked: rest.KeptBodies['masked']): string {
  return masked.map(({ count, label }) => `${label} ${String(count)}`).join(', ');
}

/** Above this, a browser would take long to lay out what nobody reads in lines. */
const PRETTY_CHARACTERS = 300_000;

/** JSON in lines; any other text as it is. */
export function prettyBody(text: string): string {
  if (text.length > PRETTY_CHARACTERS) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
