#!/usr/bin/env node
// `npm run mcp-conformance`: the official conformance suite of MCP, in both eras.
import { runBuilt } from './tool.mjs';

runBuilt(
  'packages/e2e/dist/mcp-conformance/main.js',
  ['e2e', 'simulator'].map((name) => `@tollgate/${name}`),
  { fresh: true },
);
