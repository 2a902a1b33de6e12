import { once } from 'node:events';

import { runJob } from './http-load';
import type { Job } from './job';

/**
 * The process that makes load. It is sent the job, says `warm` when what counts could begin, waits to be
 * told to, and says the outcome.
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
