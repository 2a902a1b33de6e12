// Words in place of what a format has no room for: an instruction in the middle of a conversation, a
// turn without a word, a picture that a tool gave back.

/**
 * What the system says in the middle of a conversation, as part of the user's turn. The mark is for the
 * model to read; it grants no more than the user has.
 */
export function systemTurnText(text: string): string {
  return `<system-message>\n${text}\n</system-message>`;
}

/** Stands for a turn of the user's that says nothing, where such a turn is refused. */
export const EMPTY_TURN = '(no content)';

/** Before pictures and files that a tool gave back, where its result can only be text. */
export function attachedText(callId: string, name: string | undefined): string {
  const call = name === undefined ? callId : `${name}, ${callId}`;
  return `Attached to the result of the tool call (${call}):`;
}

/** Stands for a result that has no text beside what is attached. */
export const SEE_ATTACHED = '(attached to the next user message)';
