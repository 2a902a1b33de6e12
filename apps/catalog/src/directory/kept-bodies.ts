import type { KeyContext } from '@tollgate/contracts/node';

/** Which bodies an organisation keeps, and whether it keeps those of the key. */
export interface KeptBodiesRow {
  keep_request_bodies: boolean;
  keep_answer_bodies: boolean;
  kept_bodies_percent: number;
  kept_bodies_only_failed: boolean;
  keep_bodies: boolean;
}

/** `allowed`: the installation keeps bodies. */
export function keptBodiesOf(row: KeptBodiesRow, allowed: boolean): Pick<KeyContext, 'keptBodies'> {
  const { keep_request_bodies: request, keep_answer_bodies: answer } = row;
  if (!allowed || !row.keep_bodies || !(request || answer)) return { keptBodies: null };
  return {
    keptBodies: {
      request,
      answer,
      percent: row.kept_bodies_percent,
      onlyFailed: row.kept_bodies_only_failed,
    },
  };
}
