import { ERRORS, isErrorCode } from '@tollgate/contracts';
import type { RefusalReport__Output } from '@tollgate/contracts/node';
import type { Logger } from '@tollgate/kit';

import { denialOf } from '../decide';
import { type Directory, type KeyPlan, modelNamed } from '../directory';
import { Failure } from '../failure';
import type { Refusals } from './refusals';

export interface EdgeRefusalsDeps {
  readonly directory: Pick<Directory, 'lookup'>;
  readonly refusals: Pick<Refusals, 'note'>;
  readonly log: Logger;
}

/** What edges refuse by themselves, before they ask here or after they were allowed. */
export interface EdgeRefusals {
  /** Notes it, if the key exists. Never rejects: one that cannot be looked up is not noted. */
  readonly take: (report: RefusalReport__Output) => Promise<void>;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A flood with made-up keys asks the catalog for no more than so many of them at once. */
const LOOKUPS_MAX = 16;
const PARAM_MAX = 200;

export function createEdgeRefusals({ directory, refusals, log }: EdgeRefusalsDeps): EdgeRefusals {
  let lookups = 0;

  const take: EdgeRefusals['take'] = async ({ keySha256, requestId, code, param, model }) => {
    if (keySha256.length !== 32 || !UUID.test(requestId) || !isErrorCode(code)) return;
    try {
      const plan = await find(keySha256);
      if (plan === undefined) return;
      const { sentence } = ERRORS[code];
      // The field alone: what the client was told may quote what it has sent.
      const message = param === '' ? sentence : `${param.slice(0, PARAM_MAX)}: ${sentence}`;
      // Of names that anybody can make up each would be a row of its own.
      const known = modelNamed(plan, model) !== undefined || plan.routing?.name === model;
      const asked = { requestId, model: known ? model : '' };
      refusals.note(asked, denialOf({ code, message }, plan.subject));
    } catch (error) {
      if (error instanceof Failure) return;
      log.error('a refusal of an edge could not be noted', { requestId, error });
    }
  };

  // What the directory knows it answers at once, however many of a frame ask for it.
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
