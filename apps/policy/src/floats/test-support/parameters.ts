import { FLOAT_PARAMETERS } from '../parameters';

/** A shard with few requests has floats as well. */
export const QUIET_PARAMETERS = { ...FLOAT_PARAMETERS, shardFrom: FLOAT_PARAMETERS.floatFrom };
