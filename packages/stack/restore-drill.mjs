#!/usr/bin/env node
// `npm run restore-drill`: loses PostgreSQL and restores it to an earlier moment, and compares its books with
// the upstream's bill.
import { runBuilt } from './tool.mjs';

runBuilt(
  'packages/e2e/dist/restore/main.js',
  ['e2e', 'edge', 'policy', 'catalog', 'simulator'].map((name) => `@tollgate/${name}`),
  { fresh: true },
);
