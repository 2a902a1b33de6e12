import { uuidv7Floor } from '@tollgate/kit';

/** The id is generated shortly before the request is authorised, and partitions are cut by id. */
const ID_SLACK_MS = 3_600_000;

/** No record of a request that was authorised at this instant or later has a smaller id. */
export const firstIdAt = (ms: number): string => uuidv7Floor(Math.max(0, ms - ID_SLACK_MS));

/** The ids of records of requests that were authorised before this instant are smaller. */
export const lastIdBefore = (ms: number): string => uuidv7Floor(Math.max(0, ms + ID_SLACK_MS));
