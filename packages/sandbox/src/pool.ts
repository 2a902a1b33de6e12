// A few threads that run one job each at a time, in turns of their owners. A thread that does not answer in time is ended, and another
// is started when it is needed.

import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';

import { SandboxBusyError, SandboxError } from './sandbox-error';
import type { Answer, Question } from './thread';

export interface PoolOptions {
  readonly threads: number;
  /** Jobs that wait for a thread; more are refused. */
  readonly waiting: number;
  /** Those of one owner, so that nobody fills the places of all. */
  readonly waitingOfOwner: number;
  /** Their arguments together, as JSON. */
  readonly charactersOfOwner: number;
}

export interface Pool {
  /**
   * Rejects with a SandboxError if there is no answer within the time. `owner`: whose turn it is; while another
   * one waits, an owner has one thread at most.
   */
  readonly ask: (
    owner: string,
    question: Omit<Question, 'id'>,
    timeoutMs: number,
  ) => Promise<Answer>;
  readonly stop: () => Promise<void>;
}

interface Job {
  readonly owner: string;
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
  /** By owner, whose turns come in this order; an owner that had one goes to the end. */
  readonly waiting: Map<string, Job[]>;
  waitingCount: number;
  lastId: number;
}

/** For starting a thread and loading the interpreter. */
const START_MS = 5_000;
/** For code that the interpreter cannot interrupt, such as one that has no memory left. */
const GRACE_MS = 500;

export function createPool(options: PoolOptions): Pool {
  const state: State = {
    options,
    threads: new Set(),
    waiting: new Map(),
    waitingCount: 0,
    lastId: 0,
  };
  return {
    ask: (owner, question, timeoutMs) => ask(state, owner, question, timeoutMs),
    stop: () => stop(state),
  };
}

function ask(
  state: State,
  owner: string,
  question: Omit<Question, 'id'>,
  timeoutMs: number,
): Promise<Answer> {
  if (state.waitingCount >= state.options.waiting) {
    return Promise.reject(new SandboxBusyError(`${state.waitingCount} calls are waiting`));
  }
  const own = state.waiting.get(owner) ?? [];
  if (own.length >= state.options.waitingOfOwner) {
    return Promise.reject(
      new SandboxBusyError(`${own.length} calls of this organisation are waiting`),
    );
  }
  const characters = own.reduce((sum, job) => sum + sizeOf(job.question), sizeOf(question));
  if (own.length > 0 && characters > state.options.charactersOfOwner) {
    return Promise.reject(
      new SandboxBusyError('the waiting calls of this organisation are too large'),
    );
  }
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      leave(state, job);
      reject(new SandboxBusyError('no result in time'));
    }, timeoutMs);
    const job: Job = {
      owner,
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
    state.waiting.set(owner, [...(state.waiting.get(owner) ?? []), job]);
    state.waitingCount += 1;
    startNext(state);
  });
}

function sizeOf({ input = '' }: Omit<Question, 'id'>): number {
  return input.length;
}

/** A job that waits no more; the others of its owner keep their place. */
function leave(state: State, job: Job): void {
  const { owner } = job;
  const own = state.waiting.get(owner) ?? [];
  const others = own.filter((one) => one !== job);
  if (others.length === own.length) return;
  state.waitingCount -= 1;
  if (others.length > 0) state.waiting.set(owner, others);
  else state.waiting.delete(owner);
}

/** The other jobs of the owner wait behind everyone else. */
function takeTurn(state: State, job: Job): void {
  leave(state, job);
  const others = state.waiting.get(job.owner);
  if (!others) return;
  state.waiting.delete(job.owner);
  state.waiting.set(job.owner, others);
}

/** Of the first owner that has no thread; of the first, if all have one. */
function nextJob({ threads, waiting }: State): Job | undefined {
  const busy = new Set([...threads].map(({ job }) => job?.owner));
  const jobs = [...waiting].flatMap(([owner, [job]]) => (job ? [{ owner, job }] : []));
  return (jobs.find(({ owner }) => !busy.has(owner)) ?? jobs[0])?.job;
}

function startNext(state: State): void {
  const job = nextJob(state);
  if (!job) return;
  const idle = [...state.threads].find((thread) => thread.job === undefined);
  const hasRoom = state.threads.size < state.options.threads;
  const thread = idle ?? (hasRoom ? startThread(state) : undefined);
  if (!thread) return;
  takeTurn(state, job);
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
  const stopped = new SandboxBusyError('the sandbox is stopped');
  for (const jobs of state.waiting.values()) for (const job of jobs) job.reject(stopped);
  state.waiting.clear();
  state.waitingCount = 0;
  await Promise.all(
    ended.map(({ job, worker }) => {
      clearTimeout(job?.timer);
      job?.reject(stopped);
      return worker.terminate();
    }),
  );
}
