// Property tests draw the same cases in every run, so that a failure can be repeated;
// PROPERTY_SEED=<n> asks for others. fast-check prints the seed of a failing run.
const fc = require('fast-check');

fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 20261121) });
