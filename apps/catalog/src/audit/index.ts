/** The audit trail: what a change is, and how it is recorded in the change's own transaction. */
export { differenceOf, type Change, type News, type NewsKind } from './change';
export { recordChanges, type ChangeOrigin } from './record-changes';
