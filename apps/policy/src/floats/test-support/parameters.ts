import { FLOAT_PARAMETERS } from '../parameters';

/** A shard with few requests has floats as well. */
export const QUIET_PARAMETERS = { ...FLOAT_PARAMETERS, shardFrom: FLOAT_PARAMETERS.floatFrom };
/** Floats are given back between requests, and not only after the last one. */
export const COMING_AND_GOING = { ...FLOAT_PARAMETERS, shardFrom: 2 * FLOAT_PARAMETERS.floatFrom };
