#!/usr/bin/env node
// `npm run bench:usage -- --records 10000000 --dir <folder>`: see docs/benchmarks.md.
import { runBuilt } from './tool.mjs';

const pages = process.argv.includes('--console') ? ['@tollgate/admin'] : [];
runBuilt('packages/bench/dist/main.js', ['@tollgate/bench', ...pages]);
