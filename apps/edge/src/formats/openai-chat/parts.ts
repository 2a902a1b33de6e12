// Mistral's content parts: text and thoughts, in order.

import { arrayOf, objectOf, textOf } from '../json';

export interface SpokenPart {
  type: 'text' | 'thinking';
  text: string;
}

/** Empty if the content is a string or absent. */
export function spokenParts(content: unknown): SpokenPart[] {
  return arrayOf(content).flatMap((value): SpokenPart[] => {
    const part = objectOf(value) ?? {};
    switch (part['type']) {
      case 'text':
        return [{ type: 'text', text: textOf(part['text']) ?? '' }];
      case 'thinking':
        return [{ type: 'thinking', text: thoughtIn(part['thinking']) }];
      default:
        return [];
    }
  });
}

function thoughtIn(thinking: unknown): string {
  const texts = arrayOf(thinking).map((part) => textOf(objectOf(part)?.['text']) ?? '');
  return textOf(thinking) ?? texts.join('');
}
