#!/usr/bin/env node
// `npm run keys:rotate -- [--dry-run]`: seals the secrets at DATABASE_URL with the first of
// KEY_ENCRYPTION_KEYS.
import { runBuilt } from './tool.mjs';

runBuilt('apps/catalog/dist/rotate-keys.js', ['@tollgate/catalog']);
