// Disagreements between headers and body, told to the client.

/** JSON-RPC code of MCP for headers that contradict the body; the HTTP status is 400. */
export const HEADER_MISMATCH_CODE = -32_020;

export interface HeaderMismatch {
  /** The header's name as the specification writes it. */
  readonly header: string;
  readonly reason: 'missing' | 'repeated' | 'invalid' | 'different';
  /** For the client; names the header and both values. */
  readonly message: string;
}

const SHOWN_CHARACTERS = 128;

export function missing(header: string, expected: string): HeaderMismatch {
  const message = `Header mismatch: the header ${header} is missing; the body has ${shown(expected)}.`;
  return { header, reason: 'missing', message };
}

export function repeated(header: string): HeaderMismatch {
  const message = `Header mismatch: the header ${header} is sent more than once.`;
  return { header, reason: 'repeated', message };
}

export function invalid(header: string, problem: string): HeaderMismatch {
  return {
    header,
    reason: 'invalid',
    message: `Header mismatch: the header ${header} ${problem}.`,
  };
}

export function different(header: string, value: string, expected: string): HeaderMismatch {
  const message = `Header mismatch: the header ${header} is ${shown(value)}, but the body has ${shown(expected)}.`;
  return { header, reason: 'different', message };
}

function shown(value: string): string {
  const text = value.length <= SHOWN_CHARACTERS ? value : `${value.slice(0, SHOWN_CHARACTERS)}...`;
  return JSON.stringify(text.toWellFormed());
}
