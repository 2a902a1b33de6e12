// Marks by which the simulator knows again what it issued: signatures of thoughts and sealed
// reasoning. The key is fixed, so that answers can be foretold and a restart forgets nothing.

import { createHmac } from 'node:crypto';

const KEY = 'a simulator has no secrets';

function mark(purpose: string, content: string): Buffer {
  return createHmac('sha256', KEY).update(`${purpose}\0${content}`).digest();
}

/** A mark in base64 that says nothing but fits `content` only. */
export function sign(purpose: string, content: string): string {
  return mark(purpose, content).toString('base64');
}

/** Content in base64 that cannot be made up or altered by others. */
export function seal(purpose: string, content: string): string {
  return Buffer.concat([mark(purpose, content), Buffer.from(content)]).toString('base64');
}

/** Undefined: it was not sealed here, or not for this. */
export function open(purpose: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  const content = bytes.subarray(32).toString();
  return mark(purpose, content).equals(bytes.subarray(0, 32)) ? content : undefined;
}
