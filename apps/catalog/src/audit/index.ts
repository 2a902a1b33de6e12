/** The trail of changes: what a change is, and how it is written down beside the change itself. */
export { differenceOf, type Change, type News, type NewsKind } from './change';
export { recordChanges, type ChangeOrigin } from './record-changes';
