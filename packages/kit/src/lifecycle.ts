import { withDeadline } from './deadline';
import type { Logger } from './logger';
import { tellLastMetrics } from './worker-metrics';
import { onRetire } from './workers';

export interface Lifecycle {
  /** Registers a stop step, which gets the reason; steps run in reverse order. */
  onStop: (name: string, stop: Stop) => void;
  /** Runs all steps. Later calls wait for the same end. */
  stop: (reason?: string) => Promise<void>;
  /**
   * Stops on SIGTERM and SIGINT, and on `RETIRED` as a replaced worker; crashes on an unhandled
   * error.
   */
  handleSignals: () => void;
}

type Stop = (reason: string) => Promise<void> | void;

/** The reason of a worker's stop after another worker took its place. */
export const RETIRED = 'replaced by another worker';

interface LifecycleOptions {
  /** How long a stop may take before the process exits with a failure. */
  timeoutMs: number;
  /** Exits the process; tests pass their own. */
  exit?: (code: number) => void;
}

// A log without a reader must not keep a process from exiting.
const FLUSH_MS = 1000;

// Stops a service in the reverse order of its start, so that nothing is stopped while another part
// uses it. A failing step does not prevent the others, but the process then exits with a failure.
export function createLifecycle(log: Logger, options: LifecycleOptions): Lifecycle {
  const exit = options.exit ?? ((code: number) => process.exit(code));
  const steps: { name: string; stop: Stop }[] = [];
  let stopping: Promise<boolean> | undefined;
  let ending: Promise<void> | undefined;

  const end = (code: number): void => {
    ending ??= withDeadline(log.flush(), FLUSH_MS, 'the log').then(
      () => exit(code),
      () => exit(code),
    );
  };

  const runSteps = async (reason: string): Promise<boolean> => {
    log.info('stopping', { reason });
    let clean = true;
    const timer = setTimeout(() => {
      log.error('stopping took too long', { timeoutMs: options.timeoutMs });
      end(1);
    }, options.timeoutMs);
    for (let step = steps.pop(); step; step = steps.pop()) {
      try {
        await step.stop(reason);
        log.debug('stopped', { step: step.name });
      } catch (error) {
        clean = false;
        log.error('could not stop cleanly', { step: step.name, error });
      }
    }
    clearTimeout(timer);
    log.info('stopped', { clean });
    await withDeadline(tellLastMetrics(), FLUSH_MS, 'the last metrics').catch(() => undefined);
    await withDeadline(log.flush(), FLUSH_MS, 'the log').catch(() => undefined);
    return clean;
  };

  const begin = (reason: string): Promise<boolean> => {
    stopping ??= runSteps(reason);
    return stopping;
  };

  const crash = (kind: string) => (error: unknown) => {
    log.error('crashed', { kind, error });
    end(1);
  };

  const onSignal = (signal: string): void => {
    // A second signal is ignored: a terminal's Ctrl-C and a launcher's SIGTERM often come together,
    // and the timeout bounds the wait.
    void begin(signal).then((clean) => end(clean ? 0 : 1));
  };

  return {
    onStop: (name, stop) => {
      steps.push({ name, stop });
    },
    stop: async (reason = 'asked to') => {
      await begin(reason);
    },
    handleSignals: () => {
      process.on('SIGTERM', onSignal);
      process.on('SIGINT', onSignal);
      onRetire(() => onSignal(RETIRED));
      process.on('uncaughtException', crash('uncaught exception'));
      process.on('unhandledRejection', crash('unhandled rejection'));
    },
  };
}
