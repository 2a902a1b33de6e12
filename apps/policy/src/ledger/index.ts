// From the stream in the store to the catalog's books: drains entries, sets bad ones aside, ends
// holds whose lease is over, and reports booked positions.
export { createCheckpoint, createOwnCheckpoint } from './checkpoint';
export { UnbookableError } from './carry';
export { type Drain, createDrain } from './drain';
export { type BookedMarks, createBookedMarks } from './booked-marks';
export { createRecentEntries } from './recent-entries';
export { createSweep } from './sweep';
export { type Worker, createWorker } from './worker';
