import type {
  SessionReply,
  SessionResult,
  SharedPart,
  SharedParts,
} from '@tollgate/contracts/node';

/** A frame's results; for a caller that keeps shared parts they are named by their ids. */
export function sharing(
  shared: SharedParts | undefined,
  results: SessionResult[],
): Pick<SessionReply, 'results' | 'shared' | 'sharedCleared'> {
  const allowed = results.some(({ authorize }) => authorize?.allow);
  if (shared === undefined || !allowed) return { results };
  const made: SharedPart[] = [];
  const sharedCleared = shared.begin();
  const named = results.map((result) => {
    const allow = result.authorize?.allow;
    return allow ? { ...result, authorize: { allow: shared.name(allow, made) } } : result;
  });
  return { results: named, shared: made, sharedCleared };
}
