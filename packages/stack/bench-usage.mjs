#!/usr/bin/env node
// `npm run bench:usage -- --records 10000000 --dir <folder>`: see docs/benchmarks.md.
import { runBuilt } from './tool.mjs';

runBuilt('packages/bench/dist/main.js', ['@tollgate/bench']);
