// A child's standard error, as lines of the runner's log: bounded in length and in number, so that a
// flood costs reading and nothing else.
import type { Logger } from '@tollgate/kit';

const MAX_LINE_CHARACTERS = 1_000;
const LINES_PER_WINDOW = 20;
const WINDOW_MS = 10_000;

/** Returns a function that takes the bytes as they come. `secret`: what a line must not contain. */
export function createStderrLog(
  log: Logger,
  nowMs: () => number,
  secret: string | undefined,
): (chunk: Buffer) => void {
  // Long enough for a secret that begins within what is shown.
  const kept = MAX_LINE_CHARACTERS + (secret?.length ?? 0);
  let line = '';
  let windowMs = nowMs();
  let written = 0;
  let dropped = 0;

  const write = (text: string): void => {
    if (nowMs() - windowMs >= WINDOW_MS) {
      if (dropped > 0) log.warn('lines of standard error were dropped', { lines: dropped });
      windowMs = nowMs();
      written = 0;
      dropped = 0;
    }
    if (written >= LINES_PER_WINDOW) {
      dropped += 1;
      return;
    }
    written += 1;
    log.info('standard error', { line: shown(text, secret) });
  };

  return (chunk) => {
    const [first = '', ...others] = chunk.toString('utf8').split('\n');
    // The rest of a longer line is dropped.
    line = (line + first).slice(0, kept);
    for (const next of others) {
      if (line !== '') write(line);
      line = next.slice(0, kept);
    }
  };
}

/** The beginning of a line, in which every secret is replaced before the line is cut. */
function shown(line: string, secret: string | undefined): string {
  if (secret === undefined) return line.slice(0, MAX_LINE_CHARACTERS);
  let result = '';
  let at = 0;
  while (at < MAX_LINE_CHARACTERS) {
    const found = line.indexOf(secret, at);
    if (found < 0 || found >= MAX_LINE_CHARACTERS) break;
    result += `${line.slice(at, found)}***`;
    at = found + secret.length;
  }
  return result + line.slice(at, Math.max(at, MAX_LINE_CHARACTERS));
}
