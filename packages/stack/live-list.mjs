#!/usr/bin/env node
// `npm run live-list`: the console's live list of requests while many come; docs/requests.md.
import { runBuilt } from './tool.mjs';

runBuilt(
  'packages/e2e/dist/live-list/main.js',
  ['e2e', 'edge', 'policy', 'catalog', 'simulator', 'admin'].map((name) => `@tollgate/${name}`),
  { fresh: true },
);
