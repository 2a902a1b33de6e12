// How bodies come in: read when their key allows it, held within a budget, turned into JSON within limits.
// What they mean is for `operations` and `formats` to know.

export { createByteBudget, type ByteBudget, type ByteLease } from './byte-budget';
export { parseBody, parseSmallBody } from './json-body';
export { packingOf, readPackedBody, refusePackedForm } from './packed-body';
export { bodyTooLarge, ClientGone, readBody, readSmallBody, takeRoom } from './read-body';
