import winston from 'winston';
import Transport from 'winston-transport';

import { createLogSink, type LogSink } from './log-sink';
import { redactFields } from './redact';

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  error: (message: string, fields?: LogFields) => void;
  warn: (message: string, fields?: LogFields) => void;
  info: (message: string, fields?: LogFields) => void;
  debug: (message: string, fields?: LogFields) => void;
  /** A logger that adds these fields to every line. */
  child: (fields: LogFields) => Logger;
  /** Whether lines of this level are written; check it before building costly fields. */
  enabled: (level: LogLevel) => boolean;
  /** Resolves when every line so far is written; used before a process exits. */
  flush: () => Promise<void>;
}

interface LoggerOptions {
  service: string;
  level: LogLevel;
  /** Receives finished lines instead of stdout, for tests. */
  write?: (line: string) => void;
}

// The text that winston made of a line, and a marker line that waits for those before it.
const MESSAGE = Symbol.for('message');
const FLUSHED = Symbol('flushed');

// One JSON object per line on stdout: time, level, service, message, then the given fields without
// values of fields that are named like secrets.
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
    // Applied first and last: it comes first in the line, and no field can replace it.
    logger.log({ ...head, ...redactFields(fields), ...head });
  };
  // Computed once: it is read for every request and the level never changes.
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

// All loggers of a process share one sink, so that lines keep their order.
function stdoutSink(): LogSink {
  stdout ??= createLogSink(1);
  return stdout;
}
