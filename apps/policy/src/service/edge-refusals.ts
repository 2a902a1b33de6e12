import { ERRORS, isErrorCode } from '@tollgate/contracts';
import type { RefusalReport__Output } from '@tollgate/contracts/node';
import type { Logger } from '@tollgate/kit';

import { denialOf } from '../decide';
import {
  experimentWithId,
  isShadowed,
  modelNamed,
  shadowPlan,
  type Directory,
  type KeyPlan,
} from '../directory';
import { Failure } from '../failure';
import type { Refusals } from './refusals';

export interface EdgeRefusalsDeps {
  readonly directory: Pick<Directory, 'lookup'>;
  readonly refusals: Pick<Refusals, 'note'>;
  readonly log: Logger;
}

/** Refusals that edges make by themselves, before they ask policy or after an allow. */
export interface EdgeRefusals {
  /** Records it if the key exists. Never rejects: a key that cannot be looked up is skipped. */
  readonly take: (report: RefusalReport__Output) => Promise<void>;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Concurrent catalog lookups for reports: bounds a flood of made-up keys. */
const LOOKUPS_MAX = 16;
const PARAM_MAX = 200;

export function createEdgeRefusals({ directory, refusals, log }: EdgeRefusalsDeps): EdgeRefusals {
  let lookups = 0;

  const take: EdgeRefusals['take'] = async (report) => {
    const { keySha256, requestId, code, param, model, shadowExperimentId } = report;
    if (keySha256.length !== 32 || !UUID.test(requestId) || !isErrorCode(code)) return;
    try {
      const plan = await find(keySha256);
      if (plan === undefined) return;
      if (shadowExperimentId !== '') {
        const experiment = experimentWithId(plan, shadowExperimentId);
        if (!isShadowed(experiment)) return;
        const { subject } = shadowPlan(plan, experiment);
        refusals.note({ requestId, model: '' }, denialOf({ code }, subject));
        return;
      }
      const { sentence } = ERRORS[code];
      // Only the field: the client's message may quote its own input.
      const message = param === '' ? sentence : `${param.slice(0, PARAM_MAX)}: ${sentence}`;
      // Arbitrary names would each create a row.
      const known =
        modelNamed(plan, model) !== undefined ||
        plan.organisation.aliases.has(model) ||
        plan.routing?.name === model;
      const asked = { requestId, model: known ? model : '' };
      refusals.note(asked, denialOf({ code, message }, plan.subject));
    } catch (error) {
      if (error instanceof Failure) return;
      log.error('a refusal of an edge could not be noted', { requestId, error });
    }
  };

  // A cached plan is returned synchronously, for every report of a frame.
  const find = async (keySha256: Buffer): Promise<KeyPlan | undefined> => {
    if (lookups >= LOOKUPS_MAX) return undefined;
    const found = directory.lookup(keySha256);
    if (!(found instanceof Promise)) return found;
    lookups += 1;
    try {
      return await found;
    } finally {
      lookups -= 1;
    }
  };

  return { take };
}
