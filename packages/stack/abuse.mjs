#!/usr/bin/env node
// `npm run abuse`: sends hostile inputs and checks what other callers notice.
import { runBuilt } from './tool.mjs';

runBuilt(
  'packages/e2e/dist/abuse/main.js',
  ['e2e', 'edge', 'policy', 'catalog', 'simulator'].map((name) => `@tollgate/${name}`),
  { fresh: true },
);
