import { restError } from '@tollgate/contracts';
import type { Response } from 'express';

const BUSY_RETRY_SECONDS = 10;

/** Limits how many long answers run at the same time in this process. */
export interface Places {
  /**
   * Takes a place for an owner. Call the returned function once to free it.
   * @throws RestError `too_many_requests`, with `retry-after` set on the response
   */
  readonly take: (response: Response, owner: string) => () => void;
}

/** `ofOwner`: so that one organisation or user cannot occupy all of them. */
export function createPlaces(most: { readonly all: number; readonly ofOwner: number }): Places {
  /** Owners without a place are deleted. */
  const taken = new Map<string, number>();
  let all = 0;
  return {
    take: (response, owner) => {
      const own = taken.get(owner) ?? 0;
      if (all >= most.all || own >= most.ofOwner) {
        response.setHeader('retry-after', String(BUSY_RETRY_SECONDS));
        throw restError('too_many_requests');
      }
      all += 1;
      taken.set(owner, own + 1);
      return () => {
        all -= 1;
        const left = (taken.get(owner) ?? 1) - 1;
        if (left === 0) taken.delete(owner);
        else taken.set(owner, left);
      };
    },
  };
}
