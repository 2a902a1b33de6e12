// A few threads that run one job each at a time. A thread that does not answer in time is ended, and another
// is started when it is needed.

import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';

import { SandboxError } from './sandbox-error';
import type { Answer, Question } from './thread';

export interface PoolOptions {
  readonly threads: number;
  /** Jobs that wait for a thread; more are refused. */
  readonly waiting: number;
}

export interface Pool {
  /** Rejects with a SandboxError if there is no answer within the time. */
  readonly ask: (question: Omit<Question, 'id'>, timeoutMs: number) => Promise<Answer>;
  readonly stop: () => Promise<void>;
}

interface Job {
  readonly question: Omit<Question, 'id'>;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  timer: NodeJS.Timeout | undefined;
}

interface Thread {
  readonly worker: Worker;
  /** Its interpreter is loaded. */
  ready: boolean;
  job: Job | undefined;
}

interface State {
  readonly options: PoolOptions;
  readonly threads: Set<Thread>;
  waiting: Job[];
  lastId: number;
}

/** For starting a thread and loading the interpreter. */
const START_MS = 5_000;
/** For code that the interpreter cannot interrupt, such as one that has no memory left. */
const GRACE_MS = 500;

export function createPool(options: PoolOptions): Pool {
  const state: State = { options, threads: new Set(), waiting: [], lastId: 0 };
  return {
    ask: (question, timeoutMs) => ask(state, question, timeoutMs),
    stop: () => stop(state),
  };
}

function ask(state: State, question: Omit<Question, 'id'>, timeoutMs: number): Promise<Answer> {
  if (state.waiting.length >= state.options.waiting) {
    return Promise.reject(new SandboxError(`${state.waiting.length} calls are waiting`));
  }
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      state.waiting = state.waiting.filter((one) => one !== job);
      reject(new SandboxError('no result in time'));
    }, timeoutMs);
    const job: Job = {
      question,
      resolve: (answer) => {
        clearTimeout(late);
        resolve(answer);
      },
      reject: (error) => {
        clearTimeout(late);
        reject(error);
      },
      timer: undefined,
    };
    state.waiting.push(job);
    startNext(state);
  });
}

function startNext(state: State): void {
  const [job, ...others] = state.waiting;
  if (!job) return;
  const idle = [...state.threads].find((thread) => thread.job === undefined);
  const hasRoom = state.threads.size < state.options.threads;
  const thread = idle ?? (hasRoom ? startThread(state) : undefined);
  if (!thread) return;
  state.waiting = others;
  state.lastId += 1;
  thread.job = job;
  thread.worker.ref();
  limit(state, thread, job);
  const question: Question = { id: state.lastId, ...job.question };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin.
  thread.worker.postMessage(question);
}

function startThread(state: State): Thread {
  const worker = new Worker(join(__dirname, `thread${extname(__filename)}`), {
    // Beside the interpreter's own memory, which is not a part of the heap.
    resourceLimits: { maxOldGenerationSizeMb: 64 },
    execArgv: ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'],
    env: {},
  });
  const thread: Thread = { worker, ready: false, job: undefined };
  state.threads.add(thread);
  worker.on('message', (answer: Answer | 'ready') => {
    const { job } = thread;
    if (answer === 'ready') {
      thread.ready = true;
      if (job) limit(state, thread, job);
      return;
    }
    thread.job = undefined;
    clearTimeout(job?.timer);
    job?.resolve(answer);
    // An idle process does not wait for its threads.
    worker.unref();
    startNext(state);
  });
  worker.on('error', (error) => endThread(state, thread, error));
  worker.unref();
  return thread;
}

function limit(state: State, thread: Thread, job: Job): void {
  clearTimeout(job.timer);
  const most = job.question.cpuMs + (thread.ready ? GRACE_MS : START_MS);
  job.timer = setTimeout(() => endThread(state, thread, new SandboxError('took too long')), most);
}

function endThread(state: State, thread: Thread, error: Error): void {
  const { job } = thread;
  thread.job = undefined;
  state.threads.delete(thread);
  void thread.worker.terminate();
  clearTimeout(job?.timer);
  job?.reject(error);
  startNext(state);
}

async function stop(state: State): Promise<void> {
  const ended = [...state.threads];
  state.threads.clear();
  const stopped = new SandboxError('the sandbox is stopped');
  for (const job of state.waiting) job.reject(stopped);
  state.waiting = [];
  await Promise.all(
    ended.map(({ job, worker }) => {
      clearTimeout(job?.timer);
      job?.reject(stopped);
      return worker.terminate();
    }),
  );
}
