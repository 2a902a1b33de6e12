import winston from 'winston';
import Transport from 'winston-transport';
import { createLogSink, type LogSink } from './log-sink';
import { redactFields } from './redact';

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFields = Readonly<Record<string, unknown>>;

export type Logger = {
  error: (message: string, fields?: LogFields) => void;
  warn: (message: string, fields?: LogFields) => void;
  info: (message: string, fields?: LogFields) => void;
  debug: (message: string, fields?: LogFields) => void;
  /** A logger whose every line carries these fields too. */
  child: (fields: LogFields) => Logger;
  /** Whether lines of this level are written: asks before building costly fields. */
  enabled: (level: LogLevel) => boolean;
  /** Resolves when every line logged so far is written: what is done before a process ends. */
  flush: () => Promise<void>;
};

type LoggerOptions = {
  service: string;
  level: LogLevel;
  /** Where finished lines go instead of stdout, for tests. */
  write?: (line: string) => void;
};

// The text that winston made of a line, and our mark on a line that only waits for those before.
const MESSAGE = Symbol.for('message');
const FLUSHED = Symbol('flushed');

// One JSON object per line on stdout: time, level, service, message, then the given fields with
// everything that is named like a secret taken out.
export function createLogger(options: LoggerOptions): Logger {
  const { service, level } = options;
  const sink = options.write
    ? { write: options.write, flush: () => Promise.resolve() }
    : stdoutSink();
  const transport = new Transport({
    log: (info: { [MESSAGE]: string; [FLUSHED]?: () => void }, next: () => void) => {
      if (info[FLUSHED]) info[FLUSHED]();
      else sink.write(`${info[MESSAGE]}\n`);
      next();
    },
  });
  const logger = winston.createLogger({
    level,
    format: winston.format.json({ deterministic: false }),
    transports: [transport],
  });
  const flush = async (): Promise<void> => {
    const passed = Promise.withResolvers<void>();
    logger.log({ level: 'error', message: '', [FLUSHED]: passed.resolve });
    await passed.promise;
    await sink.flush();
  };
  const line = (level: LogLevel, message: string, fields: LogFields): void => {
    const head = { time: new Date().toISOString(), level, service, message };
    // Written first and last: it stands in front, and no field can take its place.
    logger.log({ ...head, ...redactFields(fields), ...head });
  };
  // Asked for every request, and never another answer: the level of a logger stays what it is.
  const written = LOG_LEVELS.slice(0, LOG_LEVELS.indexOf(level) + 1);
  return bind({}, line, (asked) => written.includes(asked), flush);
}

function bind(
  bound: LogFields,
  line: (level: LogLevel, message: string, fields: LogFields) => void,
  enabled: (level: LogLevel) => boolean,
  flush: () => Promise<void>,
): Logger {
  const at =
    (level: LogLevel) =>
    (message: string, fields?: LogFields): void => {
      if (enabled(level)) line(level, message, { ...bound, ...fields });
    };
  return {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    child: (fields) => bind({ ...bound, ...fields }, line, enabled, flush),
    enabled,
    flush,
  };
}

let stdout: LogSink | undefined;

// All loggers of a process share one, so that their lines keep their order.
function stdoutSink(): LogSink {
  stdout ??= createLogSink(1);
  return stdout;
}
