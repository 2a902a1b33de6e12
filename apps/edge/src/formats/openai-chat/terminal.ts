// The terminal event of a chat stream.

const TERMINAL = '[DONE]';

export const LAST_EVENT = `data: ${TERMINAL}\n\n`;

/** Accepts the spaces that some servers put around it. */
export function isTerminal(data: string | undefined): boolean {
  return data === TERMINAL || data?.trim() === TERMINAL;
}
