/** User ids, the last one included. */
export interface UserRange {
  readonly first: number;
  readonly last: number;
}

/** `20000-20999`. Throws a RangeError that says what is wrong. */
export function parseUserRange(text: string): UserRange {
  const [, first = '', last = ''] = /^(\d{1,10})-(\d{1,10})$/.exec(text) ?? [];
  const range = { first: Number(first), last: Number(last) };
  if (first === '') throw new RangeError('must be two user ids, as 20000-20999');
  if (range.first < 1) throw new RangeError('must not contain the user 0');
  if (range.last > 4_294_967_294) throw new RangeError('must end before 4294967295');
  if (range.last < range.first) throw new RangeError('must begin with the lower user id');
  return range;
}
