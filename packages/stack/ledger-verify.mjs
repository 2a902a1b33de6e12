#!/usr/bin/env node
// `npm run ledger:verify`: of DATABASE_URL and REDIS_URL, else of what `npm start` runs.
import { runBuilt } from './tool.mjs';

runBuilt('packages/stack/dist/ledger-verify.js', [
  '@tollgate/stack',
  '@tollgate/catalog',
  '@tollgate/policy',
]);
