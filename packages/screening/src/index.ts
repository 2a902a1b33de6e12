// Finds what screening rules look for, in texts that are whole or arrive in pieces. No I/O.
export type { Channel, Piece } from './channel';
export type { Finder, Hit } from './finder';
export { decodedText } from './json-text';
export {
  createProgram,
  reads,
  type ExternalRule,
  type InputKind,
  type NamedRule,
  type Program,
} from './program';
export {
  ANSWER_PLACES,
  createScreening,
  type AnswerKind,
  type Block,
  type EditedText,
  type InputText,
  type Screening,
} from './screening';
export { RuleError } from './rule-error';
export * from './services';
export { tryRules } from './try-rules';
export { EVIDENCE_CHARACTERS, type Verdict } from './verdicts';
export {
  compileSchemas,
  samePaths,
  snakeName,
  type AnswerText,
  type AskedModels,
  type AskedParameters,
  type CompiledSchemas,
  type WholeJudge,
} from './whole';
