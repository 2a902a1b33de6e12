import type { RequestText } from './request-texts';

/** A text of the request, as it goes on. */
export type PassedText = Omit<RequestText, 'text'> & { text: string; readonly was: string };

export function passOn(text: PassedText, goesOn: string): void {
  if (goesOn === text.text) return;
  text.set(goesOn);
  text.text = goesOn;
}
