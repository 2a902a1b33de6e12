#!/usr/bin/env node
// `npm run caches`: how many turns of conversations find their prompt in the provider's cache.
import { runBuilt } from './tool.mjs';

runBuilt(
  'packages/e2e/dist/caches/main.js',
  ['e2e', 'edge', 'policy', 'catalog', 'simulator'].map((name) => `@tollgate/${name}`),
  { fresh: true },
);
