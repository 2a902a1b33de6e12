// Replaces zod's list of locales in browser bundles: see next.config.ts.
export { default as en } from 'zod/v4/locales/en.js';
