#!/usr/bin/env node
// `npm run bench:screening`: see docs/benchmarks.md.
import { runBuilt } from './tool.mjs';

runBuilt('packages/bench/dist/screening/main.js', ['@tollgate/bench']);
