// From the stream in the store to the catalog's books: carrying entries, setting bad ones aside,
// ending holds that nobody owns any more, and reporting how far each shard is booked.
export { createCheckpoint } from './checkpoint';
export { type Drain, UnbookableError, createDrain } from './drain';
export { type BookedMarks, createBookedMarks } from './booked-marks';
export { createSweep } from './sweep';
export { type Worker, createWorker } from './worker';
