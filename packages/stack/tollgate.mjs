#!/usr/bin/env node
// `npm run --silent tollgate -- COMMAND`: configuration as code.
import { runBuilt } from './tool.mjs';

runBuilt('packages/cli/dist/tollgate.js', ['@tollgate/cli']);
