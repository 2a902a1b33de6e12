#!/usr/bin/env node
// `npm run faults`: kills, freezes and empties the parts of a gateway, and compares its books with
// the upstream's bill.
import { runBuilt } from './tool.mjs';

runBuilt(
  'packages/e2e/dist/faults/main.js',
  ['e2e', 'edge', 'policy', 'catalog', 'simulator'].map((name) => `@tollgate/${name}`),
  { fresh: true },
);
