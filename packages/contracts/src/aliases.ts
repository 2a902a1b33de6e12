/** Names of models: the models' own, and aliases. */

export const MODEL_NAME_CHARACTERS = 200;
/** Most aliases of an organisation: keys of the organisation share all of them in memory. */
export const ALIASES_MAX = 200;
/** Most dated targets of one alias. */
export const ALIAS_TARGETS_MAX = 20;

/** What becomes of requests from a sunset on. */
export const ON_SUNSET = ['REFUSE', 'REPLACE'] as const;
export type OnSunset = (typeof ON_SUNSET)[number];
