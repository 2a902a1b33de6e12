#!/usr/bin/env node
// `npm run keys:rotate -- [--dry-run]`: of DATABASE_URL, under the first of KEY_ENCRYPTION_KEYS.
import { runBuilt } from './tool.mjs';

runBuilt('apps/catalog/dist/rotate-keys.js', ['@tollgate/catalog']);
