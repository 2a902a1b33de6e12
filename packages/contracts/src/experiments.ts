/** Experiments: requests for a name are split between models. */

export const EXPERIMENT_STATUSES = ['ACTIVE', 'PAUSED'] as const;
export type ExperimentStatus = (typeof EXPERIMENT_STATUSES)[number];

/** Of an experiment and of an arm: both are in a header of the answer. */
export const EXPERIMENT_NAME_CHARACTERS = 63;
/** The arm in the records of a shadow, and the type of the principal that they are charged to. No arm has this name. */
export const SHADOW_ARM = 'shadow';
export const SHADOW_SUBJECT = 'SHADOW';

/** Most arms of one experiment. */
export const EXPERIMENT_ARMS_MAX = 5;
/** Most active experiments of an organisation: its keys share all of them in memory. */
export const ACTIVE_EXPERIMENTS_MAX = 50;
/** Most experiments of an organisation. */
export const EXPERIMENTS_MAX = 1_000;
