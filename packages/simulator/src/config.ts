// The only file of the simulator that reads environment variables.
import { envVar, serviceShape, type ConfigOf } from '@tollgate/kit';

export const configShape = {
  HOST: serviceShape.HOST,
  LOG_LEVEL: serviceShape.LOG_LEVEL,
  SIMULATOR_PORT: envVar.port({ default: 9090, description: 'HTTP port of the simulator.' }),
  SIMULATOR_BILL_LINES: envVar.int({
    default: 50_000,
    min: 0,
    max: 1_000_000,
    unit: 'lines',
    description: 'How many of the newest lines of the bill are kept; totals count all lines.',
  }),
  SIMULATOR_KEPT_REQUESTS: envVar.int({
    default: 200,
    min: 0,
    max: 10_000,
    unit: 'requests',
    description: 'How many of the newest requests can be read back, with headers and body.',
  }),
  SIMULATOR_MODELS: envVar.list({
    default: ['sim', 'sim-mini', 'sim-large'],
    description: 'The names in lists of models; every other name is served as well.',
  }),
};
export type Config = ConfigOf<typeof configShape>;

/** The process's environment, for the launcher. */
export const environment = process.env;
