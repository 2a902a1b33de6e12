// Runs in a worker thread: one call of tenants' code at a time, each in an interpreter of its own. The code
// has no functions of the host: no network, no files, no timers, no other calls. Loaded as a file, so it
// imports nothing of this package.

import { parentPort } from 'node:worker_threads';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  shouldInterruptAfterDeadline,
  type QuickJSContext,
  type QuickJSHandle,
} from 'quickjs-emscripten-core';

export interface Question {
  id: number;
  /** Defines a function `check`. */
  code: string;
  /** JSON of its argument; undefined: the code is only loaded. */
  input: string | undefined;
  cpuMs: number;
  memoryBytes: number;
}

export interface Answer {
  id: number;
  /** JSON of what the function returned. */
  output: string | undefined;
  error: string | undefined;
  logs: string[];
}

/** Of all lines that the code writes. */
const LOG_CHARACTERS = 4_000;
const STACK_BYTES = 256 * 1024;
const ERROR_CHARACTERS = 300;

/** Evaluated before the code: what it may write. */
const PRELUDE = `
globalThis.console = (() => {
  const lines = [];
  let left = ${LOG_CHARACTERS};
  const text = (value) => typeof value === 'string' ? value : JSON.stringify(value) ?? String(value);
  const log = (...values) => {
    const line = values.map(text).join(' ').slice(0, left);
    if (left > 0) lines.push(line);
    left -= line.length;
  };
  return { log, info: log, warn: log, error: log, lines };
})();`;

function send(message: Answer | 'ready'): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin.
  parentPort?.postMessage(message);
}

const loading = newQuickJSWASMModuleFromVariant(variant);
void loading.then(() => send('ready'));

async function answer({ code, cpuMs, id, input, memoryBytes }: Question): Promise<Answer> {
  const module = await loading;
  const runtime = module.newRuntime();
  runtime.setMemoryLimit(memoryBytes);
  runtime.setMaxStackSize(STACK_BYTES);
  runtime.setInterruptHandler(shouldInterruptAfterDeadline(Date.now() + cpuMs));
  const context = runtime.newContext();
  try {
    evaluate(context, PRELUDE, 'prelude.js').dispose();
    evaluate(context, code, 'check.js').dispose();
    const output = input === undefined ? checked(context) : called(context, input);
    return { id, output, error: undefined, logs: logsOf(context) };
  } catch (error) {
    const told = (error as Error).message.slice(0, ERROR_CHARACTERS);
    return { id, output: undefined, error: told, logs: logsOf(context) };
  } finally {
    context.dispose();
    runtime.dispose();
  }
}

function evaluate(context: QuickJSContext, code: string, name: string): QuickJSHandle {
  const result = context.evalCode(code, name, { type: 'global' });
  if (!result.error) return result.value;
  const error: unknown = context.dump(result.error);
  result.error.dispose();
  throw new Error(told(error));
}

function told(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const { message, name, stack } = error as { message?: string; name?: string; stack?: string };
  if (name === 'InternalError' && message === 'interrupted') return 'took too long';
  if (name === 'InternalError' && message === 'out of memory') return 'took too much memory';
  const line = /check\.js:(\d+)/.exec(stack ?? '')?.[1];
  const where = line === undefined ? '' : ` (line ${line})`;
  return `${name ?? 'Error'}: ${message ?? ''}${where}`;
}

/** Nothing is called: the code was loaded, and has its function. */
function checked(context: QuickJSContext): undefined {
  const type = evaluate(context, 'typeof check', 'call.js');
  const found = context.getString(type);
  type.dispose();
  if (found !== 'function') throw new Error('the code defines no function check');
  return undefined;
}

function called(context: QuickJSContext, input: string): string {
  const given = context.newString(input);
  context.setProp(context.global, '__input', given);
  given.dispose();
  const call =
    '(() => { const given = JSON.parse(__input); delete globalThis.__input; return JSON.stringify(check(given)) ?? "null"; })()';
  const result = evaluate(context, call, 'call.js');
  const output = context.getString(result);
  result.dispose();
  return output;
}

function logsOf(context: QuickJSContext): string[] {
  try {
    const lines = evaluate(context, 'JSON.stringify(console.lines)', 'logs.js');
    const text = context.getString(lines);
    lines.dispose();
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? cut(parsed.map(String)) : [];
  } catch {
    // The code has replaced it, or has no memory left.
    return [];
  }
}

/** The code can write into the list itself. */
function cut(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let left = LOG_CHARACTERS;
  for (const line of lines) {
    if (left <= 0) break;
    kept.push(line.slice(0, left));
    // An empty line takes room as well.
    left -= line.length + 1;
  }
  return kept;
}

parentPort?.on('message', (question: Question) => {
  void answer(question).then(send);
});
