#!/usr/bin/env node
import { ENVIRONMENT } from './config';
import { main } from './main';

// A reader that has seen enough, such as `head`, closes the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

void main(process.argv.slice(2), ENVIRONMENT).then((code) => {
  process.exitCode = code;
});
