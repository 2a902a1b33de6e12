/**
 * Mail: letters are put into an outbox by the change they tell of, and delivered by whichever
 * catalog takes them first. What a letter is about is decided by whom enqueues it.
 */
export { startMail } from './deliver';
export { enqueueLetter } from './outbox';
export { createSmtp } from './smtp';
