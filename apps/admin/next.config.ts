import { join } from 'node:path';
import type { NextConfig } from 'next';

const workspace = join(__dirname, '../..');

const config: NextConfig = {
  output: 'standalone',
  // Workspace packages and the shared store of node_modules are above this folder.
  outputFileTracingRoot: workspace,
  // Types are checked by `tsc -p tsconfig.json`: Next's own check does not know TypeScript 7.
  typescript: { ignoreBuildErrors: true },
  poweredByHeader: false,
  reactStrictMode: true,
  // Pictures are served as they are: the build takes the library that would resize them out.
  images: { unoptimized: true },
  // Turborepo keeps whole builds. Next's own cache also keeps failures that were only passing ones.
  experimental: { turbopackFileSystemCacheForBuild: false },
  turbopack: {
    root: workspace,
    // From the source, as modules: a page then carries only the schemas it uses, and the server
    // only what it needs of the chassis.
    resolveAlias: {
      '@tollgate/contracts': '../../packages/contracts/src/index.ts',
      '@tollgate/kit': '../../packages/kit/src/index.ts',
      // zod's messages in fifty languages, of which the console speaks one.
      '../locales/index.js': './src/api/zod-locales.ts',
    },
    // Descriptions of the REST schemas are only for the OpenAPI document.
    rules: {
      '*.ts': {
        condition: { path: /packages\/contracts\/src\/rest\// },
        loaders: [join(__dirname, 'scripts/without-descriptions.cjs')],
        as: '*.ts',
      },
    },
    // A secret may come from a file whose name is known at run time only; none of ours is traced.
    ignoreIssue: [{ path: '**/packages/kit/**', title: /Dynamic filesystem access/ }],
  },
};

export default config;
