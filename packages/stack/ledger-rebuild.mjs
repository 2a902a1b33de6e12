#!/usr/bin/env node
// `npm run ledger:rebuild`: rebuilds the rollups and the totals of values at DATABASE_URL that disagree with the books.
import { runBuilt } from './tool.mjs';

runBuilt('apps/catalog/dist/rebuild.js', ['@tollgate/catalog']);
