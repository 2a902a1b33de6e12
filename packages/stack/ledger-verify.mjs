#!/usr/bin/env node
// `npm run ledger:verify`: checks DATABASE_URL and REDIS_URL, or those of a running `npm start`.
import { runBuilt } from './tool.mjs';

runBuilt('packages/stack/dist/ledger-verify.js', [
  '@tollgate/stack',
  '@tollgate/catalog',
  '@tollgate/policy',
]);
