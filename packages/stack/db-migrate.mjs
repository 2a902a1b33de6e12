#!/usr/bin/env node
// `npm run db:migrate -- up | down | status`: migrates the database at DATABASE_URL.
import { runBuilt } from './tool.mjs';

runBuilt('apps/catalog/dist/migrate.js', ['@tollgate/catalog']);
