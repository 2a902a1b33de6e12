#!/usr/bin/env node
// `npm run soak`: whether any process's heap grows under mixed load; docs/benchmarks.md.
import { runBuilt } from './tool.mjs';

runBuilt(
  'packages/bench/dist/soak/main.js',
  ['bench', 'edge', 'policy', 'catalog'].map((name) => `@tollgate/${name}`),
  { fresh: true },
);
