import { readFileSync } from 'node:fs';

import { runJob } from './http-load';
import type { Job } from './job';

/** The process that makes load: `node generator.js <job file>`; prints the outcome as JSON. */
async function main(): Promise<void> {
  const job = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Job;
  console.log(JSON.stringify(await runJob(job)));
}

void main();
