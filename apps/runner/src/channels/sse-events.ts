// Server-sent events, as far as the HTTP+SSE transport uses them: event names and data.

export interface SseEvent {
  readonly name: string;
  readonly data: string;
}

export interface SseReader {
  /** Returns false once an event is too long; nothing is read after that. */
  readonly push: (text: string) => boolean;
}

export function createSseReader(
  maxCharacters: number,
  onEvent: (event: SseEvent) => void,
): SseReader {
  let rest = '';
  let name = '';
  let data: string[] = [];
  let characters = 0;

  const line = (text: string): void => {
    if (text === '') {
      if (data.length > 0) onEvent({ name: name === '' ? 'message' : name, data: data.join('\n') });
      name = '';
      data = [];
      characters = 0;
      return;
    }
    const colon = text.indexOf(':');
    const field = colon === -1 ? text : text.slice(0, colon);
    const value = colon === -1 ? '' : text.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') name = value;
    if (field !== 'data') return;
    data.push(value);
    characters += value.length;
  };

  return {
    push: (text) => {
      const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
      // A carriage return at the end may be half of a line's end, and waits.
      rest = lines.pop() ?? '';
      for (const one of lines) {
        line(one);
        if (characters > maxCharacters) return false;
      }
      return rest.length <= maxCharacters;
    },
  };
}
