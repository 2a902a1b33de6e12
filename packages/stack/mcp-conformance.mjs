#!/usr/bin/env node
// `npm run mcp-conformance`: the official conformance suite of MCP, direct and through a gateway.
import { runBuilt } from './tool.mjs';

runBuilt(
  'packages/e2e/dist/mcp-conformance/main.js',
  ['e2e', 'simulator', 'edge', 'policy', 'catalog'].map((name) => `@tollgate/${name}`),
  { fresh: true },
);
