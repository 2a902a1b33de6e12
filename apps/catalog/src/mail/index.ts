/**
 * Mail: a change puts a letter into the outbox in its own transaction, and any replica delivers it.
 * The caller decides what it says.
 */
export { startMail } from './deliver';
export { writeDraft, type LetterDraft } from './letters';
export { enqueueLetter } from './outbox';
export { createSmtp, faultOf, SEND_TIMEOUT_MS, type SendMail } from './smtp';
