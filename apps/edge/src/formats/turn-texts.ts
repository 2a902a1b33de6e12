// Texts that replace what a format cannot express: an instruction within a conversation, an empty
// turn, an image in a tool result.

/**
 * A system message within a conversation, as part of the user's turn. The mark is for the model; it
 * grants no more than the user's own rights.
 */
export function systemTurnText(text: string): string {
  return `<system-message>\n${text}\n</system-message>`;
}

/** Replaces an empty user turn, which some providers refuse. */
export const EMPTY_TURN = '(no content)';

/** Precedes images and files of a tool result that can only be text. */
export function attachedText(callId: string, name: string | undefined): string {
  const call = name === undefined ? callId : `${name}, ${callId}`;
  return `Attached to the result of the tool call (${call}):`;
}

/** Replaces the text of a tool result that has only attachments. */
export const SEE_ATTACHED = '(attached to the next user message)';
