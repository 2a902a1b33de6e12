/** Splits bytes into lines of at most `maxBytes`, in UTF-8, without the line's end. */
export interface LineReader {
  /** Returns false once a line is too long; nothing is read after that. */
  readonly push: (chunk: Buffer) => boolean;
}

const NEWLINE = 0x0a;

export function createLineReader(maxBytes: number, onLine: (line: string) => void): LineReader {
  let parts: Buffer[] = [];
  let bytes = 0;
  let tooLong = false;

  const take = (part: Buffer): void => {
    bytes += part.length;
    if (bytes > maxBytes) tooLong = true;
    else parts.push(part);
  };
  const finish = (): void => {
    const line = Buffer.concat(parts).toString('utf8');
    parts = [];
    bytes = 0;
    onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
  };

  return {
    push: (chunk) => {
      let from = 0;
      for (;;) {
        const end = chunk.indexOf(NEWLINE, from);
        take(chunk.subarray(from, end === -1 ? chunk.length : end));
        if (tooLong) {
          parts = [];
          return false;
        }
        if (end === -1) return true;
        finish();
        from = end + 1;
      }
    },
  };
}
