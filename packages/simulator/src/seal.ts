// Seals by which the simulator recognises its own output: signatures of thinking and encrypted
// reasoning. The key is fixed, so that answers are predictable and survive a restart.

import { createHmac } from 'node:crypto';

const KEY = 'a simulator has no secrets';

function mark(purpose: string, content: string): Buffer {
  return createHmac('sha256', KEY).update(`${purpose}\0${content}`).digest();
}

/** A base64 signature that is valid for `content` only, without containing it. */
export function sign(purpose: string, content: string): string {
  return mark(purpose, content).toString('base64');
}

/** Content in base64 that others cannot create or change. */
export function seal(purpose: string, content: string): string {
  return Buffer.concat([mark(purpose, content), Buffer.from(content)]).toString('base64');
}

/** Undefined if it was not sealed here, or not for this purpose. */
export function open(purpose: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  const content = bytes.subarray(32).toString();
  return mark(purpose, content).equals(bytes.subarray(0, 32)) ? content : undefined;
}
