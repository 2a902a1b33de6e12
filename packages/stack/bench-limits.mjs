#!/usr/bin/env node
// `npm run bench:limits`: see docs/benchmarks.md.
import { runBuilt } from './tool.mjs';

runBuilt(
  'packages/bench/dist/limits/main.js',
  ['bench', 'edge', 'policy', 'catalog'].map((name) => `@tollgate/${name}`),
  { fresh: true },
);
