// One connection to an MCP server that speaks JSON-RPC both ways: a child's pipes, or the two halves
// of the HTTP+SSE transport. Messages pass as text; what they mean is the business of ../sessions.

export interface Channel {
  /** False: the server reads too slowly, and the message was not sent. */
  readonly send: (text: string) => boolean;
  /** Stops reading the server, whose own pipe or connection fills up. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Resolves with the reason when the server is gone. */
  readonly ended: Promise<string>;
  /** Ends it; resolves when nothing of it is left. */
  readonly close: () => Promise<void>;
}

/** `onMessage` gets one text at a time, of at most MAX_MESSAGE_BYTES. */
export type OpenChannel = (onMessage: (text: string) => void) => Channel;

/** Limit of one message of a server. Larger than what clients may send: results carry files. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Limit of what waits for a server that does not read. */
export const MAX_UNREAD_BYTES = 8 * 1024 * 1024;
