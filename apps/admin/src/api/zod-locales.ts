// Stands in for zod's own list of languages in what the browser loads: see next.config.ts.
export { default as en } from 'zod/v4/locales/en.js';
