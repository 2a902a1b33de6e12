/**
 * Bodies of requests that organisations keep: compressed, sealed, and removed after a few days. Edges have masked them
 * before. Who may look at them is decided in `resources/kept-bodies`.
 */
export { openContent, type BodyContent } from './content';
export { createKeepBodies, type KeepBodies } from './keep';
export { removeBodiesOf } from './remove';
export { KeptBody } from './kept-body.entity';
