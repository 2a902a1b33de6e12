#!/usr/bin/env node
// `npm run ledger:rebuild`: of DATABASE_URL, the rollups that do not agree with the books.
import { runBuilt } from './tool.mjs';

runBuilt('apps/catalog/dist/rebuild.js', ['@tollgate/catalog']);
