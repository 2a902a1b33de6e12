import { rest } from '@tollgate/contracts';
import type { KeyRing } from '@tollgate/contracts/node';

import { serve, type Route } from '../../rest/call';
import { clear, look, stateOf, totalOf } from './kept-bodies';

export function createKeptBodyRoutes({
  bodiesAllowed,
  keyRing,
}: {
  readonly bodiesAllowed: boolean;
  readonly keyRing: KeyRing;
}): Route[] {
  return [
    serve(rest.getKeptBodies, stateOf),
    serve(rest.lookAtBodies, (call) => look(call, keyRing)),
    serve(rest.getKeptBodiesTotal, (call) => totalOf(call, bodiesAllowed)),
    serve(rest.clearKeptBodies, clear),
  ];
}
