#!/usr/bin/env node
// `npm run bench`: Tollgate beside a minimal proxy and beside Portkey; docs/benchmarks.md.
import { runBuilt } from './tool.mjs';

runBuilt(
  'packages/bench/dist/gateway/main.js',
  ['bench', 'edge', 'policy', 'catalog'].map((name) => `@tollgate/${name}`),
  { fresh: true },
);
