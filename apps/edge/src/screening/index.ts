// Screens requests and answers by the rules of their organisation, in every format by the same code.
export { checkAnswer, createAnswerCheck, observe, type AnswerCheck } from './check-answer';
export { checkTexts } from './check-request';
export { noteRulesStep } from './check-steps';
export { openScreening } from './open-screening';
export { visitTexts, type Leaf } from './leaves';
export { hasTokenIds } from './request-texts';
export type { PassedText } from './passed-text';
export { blockedError } from './refusal';
export { createTurns, screenTexts, screenWholeAnswer, type TakeTurns } from './screen-texts';
export { createScreeningPrograms } from './programs';
export { screenAnswer } from './screen-answer';
export { screenedPassage } from './screened-passage';
export { throwIfBlocked } from './refusal';
export { screenByAdded, screenRequest } from './screen-request';
export { type TriedScreening, tryScreening } from './try-screening';
export { openAnswerStream } from './stream-check';
export { withJudgedEnd } from './judged-end';
