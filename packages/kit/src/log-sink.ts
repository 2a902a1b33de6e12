import { write as writeFile, writeSync } from 'node:fs';

export interface LogSink {
  write: (line: string) => void;
  /** Resolves when everything written so far has left the process, or never can. */
  flush: () => Promise<void>;
}

const ENOUGH_CHARS = 4096;
const MAX_CHARS = 16 * 1024 * 1024;
const DELAY_MS = 100;
const RETRY_MS = 10;

// Node writes to a pipe synchronously, so a slow reader of the log would block every request. Lines
// are buffered here and written by the thread pool, one write at a time, after 100 ms at the
// latest. When 16 million characters wait, lines are dropped and the log says how many.
export function createLogSink(fd: number): LogSink {
  let waiting: string[] = [];
  let waitingChars = 0;
  let dropped = 0;
  let writing = false;
  let timer: NodeJS.Timeout | undefined;
  let flushes: (() => void)[] = [];

  const take = (): string => {
    const text = waiting.join('');
    waiting = [];
    waitingChars = 0;
    return text;
  };

  const start = (): void => {
    if (writing) return;
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) {
      for (const done of flushes) done();
      flushes = [];
      return;
    }
    writing = true;
    writeAll(fd, Buffer.from(take()), () => {
      writing = false;
      start();
    });
  };

  const write = (line: string): void => {
    if (waitingChars + line.length > MAX_CHARS) {
      dropped += 1;
      return;
    }
    if (dropped > 0) {
      waiting.push(gap(dropped));
      dropped = 0;
    }
    waiting.push(line);
    waitingChars += line.length;
    if (waitingChars >= ENOUGH_CHARS) start();
    else timer ??= setTimeout(start, DELAY_MS).unref();
  };

  // A process that ends by itself writes what is left; process.exit tries to. Flush first to be
  // sure.
  process.on('beforeExit', start);
  process.on('exit', () => {
    try {
      writeSync(fd, take());
    } catch {
      // The process ends and nobody reads.
    }
  });

  return {
    write,
    flush: () =>
      new Promise((resolve) => {
        flushes.push(resolve);
        start();
      }),
  };
}

// Writes until everything is out. An error other than a full pipe means that nobody reads, so there
// is nobody to tell.
function writeAll(fd: number, bytes: Buffer, done: () => void): void {
  writeFile(fd, bytes, (error, count) => {
    if (error?.code === 'EAGAIN') setTimeout(writeAll, RETRY_MS, fd, bytes, done);
    else if (!error && count < bytes.length) writeAll(fd, bytes.subarray(count), done);
    else done();
  });
}

function gap(lines: number): string {
  const message = 'log lines were dropped: they are not read fast enough';
  return `${JSON.stringify({ time: new Date().toISOString(), level: 'warn', message, lines })}\n`;
}
