import { once } from 'node:events';

import { runJob } from './http-load';
import type { Job } from './job';

/**
 * The process that generates load. It gets the job, reports `warm` when measuring can begin, waits
 * for the start signal, and reports the outcome.
 */
process.once('message', (job: Job) => void run(job));

async function run(job: Job): Promise<void> {
  const outcome = await runJob(job, async () => {
    process.send?.('warm');
    await once(process, 'message');
  });
  process.send?.(outcome);
  process.disconnect();
}
