#!/usr/bin/env node
// `npm run faults`: kills, freezes and empties what a gateway is made of, and compares its books with
// the upstream's bill.
import { runBuilt } from './tool.mjs';

runBuilt(
  'packages/e2e/dist/faults/main.js',
  ['e2e', 'edge', 'policy', 'catalog', 'simulator'].map((name) => `@tollgate/${name}`),
  { fresh: true },
);
