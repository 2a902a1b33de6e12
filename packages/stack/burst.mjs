#!/usr/bin/env node
// `npm run burst`: many concurrent calls through a whole gateway, on a machine with other load.
import { runBuilt } from './tool.mjs';

runBuilt(
  'packages/e2e/dist/burst/main.js',
  ['e2e', 'edge', 'policy', 'catalog', 'simulator'].map((name) => `@tollgate/${name}`),
  { fresh: true },
);
