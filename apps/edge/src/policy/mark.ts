/** How far the ledger of a shard is booked. */
export interface Mark {
  readonly epoch: number;
  readonly booked: number;
}

/** Whether the settle with this number is booked. `epoch`: 0, a policy of an earlier release does not say. */
export function isBooked(settle: { epoch: number; seq: number }, mark: Mark): boolean {
  return settle.seq <= mark.booked && (settle.epoch === mark.epoch || settle.epoch === 0);
}
